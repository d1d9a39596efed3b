"""The providers: real SDKs against servers on loopback."""
