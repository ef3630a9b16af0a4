"""Programs that check or write something of the repository."""
