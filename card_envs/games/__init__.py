"""The games: one folder each, with the same file names. Games do not import each other."""
