"""The tables of published papers, computed again; one paper per file."""
