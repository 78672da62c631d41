"""CFR for heads-up no-limit (and pot-limit) hold'em on a bet menu."""
