"""Players: scripted, searching, solved, learned."""
