"""Charlesworth (2018): figure 2, what one trained network wins from three random players and from three earlier selves.

The paper draws curves and prints no numbers. What can be judged is what its text says of them: much is won from
random players, and something from the network as it was earlier, throughout the training. Our earlier selves are those
after each quarter of a run.
"""

from __future__ import annotations

FIGURE = 2
RANDOM, EARLIER = "random", "earlier-selves"

UNTRAINED = "untrained"
"""The control: a network before its training, against random players."""
CLAIMED_GAINS = {RANDOM: 9.7, EARLIER: 0.0}
"""Row -> points per game that a network has to win for the text to be right.

"A large positive score" against random players is read as more than a rule of thumb wins from them: `big2_greedy`,
+9.71 ± 0.13 (20,000 games). That "the learning progress seems to continue steadily throughout the training" is read as
winning from every earlier self.
"""
