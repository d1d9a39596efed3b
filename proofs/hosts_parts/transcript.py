"""What happened, and when."""

import time


class Transcript:
    """Prints lines with the seconds since it was made."""

    def __init__(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Return the time since the start."""
        return time.monotonic() - self._began

    def say(self, text: str) -> None:
        """Print a line at once: who watches wants to know where it hangs."""
        print(f"{self.seconds:7.1f} s  {text}", flush=True)
