"""Settings that every kind of test shares."""

from hypothesis import settings

# The first example may compile kernels, which no deadline can tell from a slow test.
settings.register_profile("card-envs", deadline=None)
settings.load_profile("card-envs")
