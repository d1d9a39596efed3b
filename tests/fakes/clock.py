"""A clock that only moves when a test says so."""


class FakeClock:
    """Counts seconds; call it to read it, like `time.monotonic`."""

    def __init__(self, start: float = 1_000.0) -> None:
        """Start at `start` seconds."""
        self.seconds = start

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let time pass; it never runs backwards."""
        if seconds < 0:
            raise ValueError("time doesn't run backwards")
        self.seconds += seconds
