"""The commands of `card-envs`: one file each, with a function of the same name whose parameters are the options."""
