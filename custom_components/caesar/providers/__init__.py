"""Providers: one model API each, and the built-in brain."""
