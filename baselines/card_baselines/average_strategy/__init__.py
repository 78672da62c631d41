"""Average strategies for games of any size: a network fitted to a reservoir, and mixtures of network snapshots."""
