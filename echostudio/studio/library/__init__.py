"""The Library page: which memories there are, and whether one may be promoted."""
