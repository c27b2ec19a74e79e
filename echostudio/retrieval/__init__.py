"""From a request to memories that may be used: words first, then the gates."""
