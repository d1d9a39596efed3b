"""Tests of whole processes: a real Home Assistant, a real browser."""
