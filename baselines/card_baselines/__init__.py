"""Players for the games, how they are trained, compared and reproduced from papers, and the `card-envs` command."""

from card_baselines.registry import AGENTS, ALGORITHMS, SAVED_AGENTS, SCHEMES, TRAINEES
from card_envs import plugins

# Entry points say the same; this is for a checkout that is on the path without being installed.
plugins.register(plugins.AGENTS, AGENTS)
plugins.register(plugins.ALGORITHMS, ALGORITHMS)
plugins.register(plugins.SAVED_AGENTS, SAVED_AGENTS)
plugins.register(plugins.SCHEMES, SCHEMES)
plugins.register(plugins.TRAINEES, TRAINEES)
