"""Charlesworth (2018): figure 2, what one trained network wins from three random players and from three earlier selves.

The paper draws curves and prints no numbers. Only the claims of its text can be judged: much is won from random
players, and something from earlier versions of the network, throughout the training. Our earlier selves are those
after each quarter of a run.
"""

from __future__ import annotations

UNIT = "points per game"
FIGURE = 2
RANDOM, EARLIER = "random", "earlier-selves"

UNTRAINED = "untrained"
"""Row of the control: a network before its training, against random players."""
CLAIMED_GAINS = {RANDOM: 9.7, EARLIER: 0.0}
"""Row -> points per game that a network has to win for the text to be right.

"A large positive score" against random players is read as more than the scripted `big2_greedy` wins from them:
+9.71 ± 0.13 (20,000 games). "The learning progress seems to continue steadily throughout the training" is read as
winning from every earlier self.
"""
