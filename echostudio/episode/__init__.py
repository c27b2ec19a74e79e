"""The nouns of the program as frozen values; nothing here reads, writes, or looks at a machine."""
