"""Analysis of matches and strategies: exploitability and variance reduction."""
