"""Evidence: what was seen before and after each action, how it gets to disk, and how a target is looked for again."""
