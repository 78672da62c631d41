"""Hands in the text that PokerStars writes and that trackers read."""
