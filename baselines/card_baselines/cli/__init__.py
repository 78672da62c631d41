"""The command `card-envs`."""
