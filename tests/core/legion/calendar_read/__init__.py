"""Tests of the tool that reads calendars."""
