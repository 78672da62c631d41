"""Shi et al. (2022), actor-critic for six-max hold'em: networks, training, tables."""
