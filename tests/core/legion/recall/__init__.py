"""Tests of the tool web_search."""
