"""Stand-ins that speak for real: servers on loopback, clocks under a test's hand."""
