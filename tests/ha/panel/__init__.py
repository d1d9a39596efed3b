"""Tests of the page in the sidebar, inside Home Assistant."""
