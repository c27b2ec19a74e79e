"""The Replay page: run a memory and see every decision."""
