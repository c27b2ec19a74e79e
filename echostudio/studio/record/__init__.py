"""The Record page: where, what for, and every step as it happens."""
