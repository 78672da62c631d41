"""A web server and page: people and agents at one table, advice of agents, replays, results."""
