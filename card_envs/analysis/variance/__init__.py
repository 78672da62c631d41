"""Variance reduction of match results by control variates."""
