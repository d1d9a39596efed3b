"""Parts of the proof of the local worker."""
