"""Sentinel: guards that may only make a policy's answer stricter."""
