"""Big 2: the climbing game for four seats with the 1,695 actions of Charlesworth (2018)."""
