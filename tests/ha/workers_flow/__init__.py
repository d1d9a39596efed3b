"""Workers and tools' settings, as a person adds, changes and mends them."""
