"""Brain: the turn, from a person's words to an answer, without Home Assistant."""
