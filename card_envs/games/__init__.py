"""The games: one folder each, with the same file names in each, and no knowledge of each other."""
