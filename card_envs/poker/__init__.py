"""Evaluation of poker hands: ranks, percentiles, equities and ranges."""
