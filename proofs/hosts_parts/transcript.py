"""What happened, and when."""

import time


class Transcript:
    """Prints lines with the seconds since it was made."""

    def __init__(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        """Print a line at once: who watches wants to know where it hangs."""
        print(f"{time.monotonic() - self._began:7.1f} s  {text}", flush=True)
