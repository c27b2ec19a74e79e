"""The Timeline page: what happened in a memory or a run, step by step."""
