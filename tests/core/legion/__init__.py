"""The wire and the workers, without Home Assistant."""
