"""The same conversations through every kind of brain."""
