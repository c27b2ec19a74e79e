"""The Runs page: every recording and replay."""
