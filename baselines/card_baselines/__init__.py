"""Players for the games, how they are trained, compared and reproduced from papers, and the `card-envs` command."""
