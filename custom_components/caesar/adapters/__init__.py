"""Adapters: Home Assistant on one side, the domain on the other."""
