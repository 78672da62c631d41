"""The former name of `card_envs.history`."""

import warnings

from card_envs.history import *  # noqa: F403  an alias of all that is public there

warnings.warn("card_envs.hand_history is now card_envs.history", DeprecationWarning, stacklevel=2)
