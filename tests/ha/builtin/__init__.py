"""Tests of the built-in brain, in the demo house."""
