"""What happened, and when."""

from pathlib import Path
import time


class Transcript:
    """Prints lines with the seconds since it was made."""

    def __init__(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()
        self._lines: list[str] = []

    def say(self, text: str) -> None:
        """Print a line at once: who watches wants to know where it hangs."""
        self._lines.append(f"{time.monotonic() - self._began:7.1f} s  {text}")
        print(self._lines[-1], flush=True)

    def keep(self, path: Path) -> None:
        """Write all of it to a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*self._lines, ""]), encoding="utf-8")
