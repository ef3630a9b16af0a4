"""Node splitters."""
