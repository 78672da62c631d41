"""The commands of `card-envs`: functions whose parameters are the options, a file for each command and form."""
