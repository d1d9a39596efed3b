"""Tests that need no Home Assistant instance."""
