"""Starts a real Home Assistant with the demo house and CAESAR in it."""
