"""Policy: a pure decision about a tool call. No I/O, no clock, no Home Assistant."""
