"""Variance reduction: control variates and the chance terms that they rest on."""
