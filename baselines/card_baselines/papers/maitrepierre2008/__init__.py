"""Maitrepierre, Mary and Munos (2008), Brennus: a heads-up limit player that adapts within a session."""
