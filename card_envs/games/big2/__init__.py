"""Big 2 for four seats."""
