"""CFR for two-player limit games: Kuhn poker, Leduc hold'em and heads-up limit hold'em."""
