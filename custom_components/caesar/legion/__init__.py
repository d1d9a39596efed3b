"""Legion: tools, their specification and the protocol they speak.

This package imports nothing of the rest of CAESAR and nothing of Home Assistant,
because the same files run on hosts that have neither.
"""
