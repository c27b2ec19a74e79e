"""Re-aim measured: accepts, places, wrong accepts, agreement with the exhaustive search, speed."""
