"""Many agents against each other: roster, schedule, ratings, leaderboard."""
