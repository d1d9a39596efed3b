"""CAESAR's options, tested over HTTP."""
