"""Tests with houses that earlier versions left."""
