"""Handlers of the actions that CAESAR registers."""
