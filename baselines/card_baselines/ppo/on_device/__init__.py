"""Self-play PPO whose tables, rollouts and steps of learning stay in the memory of one device, such as a GPU."""
