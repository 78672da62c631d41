"""Logs of the Annual Computer Poker Competition."""
