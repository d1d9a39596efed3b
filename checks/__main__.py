"""`python -m checks [ROOT]`: print the problems of a tree; exit 1 if there are any."""

from pathlib import Path
import sys

from . import discover, run


def main(arguments: list[str]) -> int:
    """Print what is wrong below the given root, and return the exit code."""
    root = Path(arguments[0]) if arguments else Path(__file__).parent.parent
    problems = run(root.resolve())
    for problem in problems:
        print(problem)
    print(f"checks: {len(discover())} rules, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
