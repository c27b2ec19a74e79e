"""What is on a screen and what changed on it, never what the task is."""
