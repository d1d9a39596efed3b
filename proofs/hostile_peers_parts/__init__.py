"""Parts of the proof of hostile peers."""
