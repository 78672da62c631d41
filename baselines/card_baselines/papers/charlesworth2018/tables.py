"""Charlesworth (2018): figure 2, what one trained network wins from three random players and from three earlier selves.

The paper draws curves and prints no numbers. What can be judged is what its text says of them: much is won from
random players, and something from the network as it was earlier, throughout the training. Our earlier selves are those
after each quarter of a run.
"""

from __future__ import annotations

FIGURE = 2
RANDOM, EARLIER = "random", "earlier-selves"
