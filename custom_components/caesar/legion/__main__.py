"""`python -m caesar_legion`: the same as the command `caesar`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
