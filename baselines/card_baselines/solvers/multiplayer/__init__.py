"""Monte Carlo CFR for hold'em at any number of seats, with hands in buckets and betting in public states."""
