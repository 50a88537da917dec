"""Parts shared by the learners: online training, replay buffer, optimizer, checkpoints."""
