"""The table in a browser: people and agents at one table, what agents think, replays, results."""
