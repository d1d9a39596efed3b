"""Audit: what was decided and done, on disk before it happens."""
