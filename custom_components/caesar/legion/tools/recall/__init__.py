"""What the two recall tools share: how they are fed, asked and how they find."""
