"""Tests of the demo house and of script/run."""
