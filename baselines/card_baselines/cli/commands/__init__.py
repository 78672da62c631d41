"""The commands of `card-envs`: functions whose parameters are the options; short forms stand beside their command."""
