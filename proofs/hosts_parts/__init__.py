"""Parts of the proofs with a real Home Assistant and workers beside it."""
