"""Load this folder under the name `caesar_legion`, and run one part of it.

usage: python -I boot.py [--path FOLDER]... local | child | cli [ARGUMENT...]

`python -m` would import the packages above this folder first, which inside Home
Assistant are Home Assistant (1.1 s, 79 MB). `-I` keeps this folder and the user's
PYTHON* variables out of the way; `--path` adds a folder in which packages lie.
"""

from contextlib import suppress
import ctypes
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
import sys
from typing import Final

NAME: Final = "caesar_legion"
PR_SET_DUMPABLE: Final = 4
PARTS: Final = {"local": "local", "child": "child_main", "cli": "cli"}


def load(folder: Path) -> None:
    """Make `folder` the package `caesar_legion` of this process."""
    if NAME in sys.modules:
        return
    spec = spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is not a package", name=NAME)
    module = module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


def hide_environment() -> None:
    """Keep the environment, which holds secrets, from processes of the same user.

    Above all from the killable children, which work on hostile input: without this
    they could read it in /proc (prctl(2), PR_SET_DUMPABLE).
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def main(arguments: list[str]) -> int:
    """Run the part that the arguments name, with the rest of them."""
    rest = list(arguments)
    while len(rest) > 1 and rest[0] == "--path":
        if rest[1] not in sys.path:
            sys.path.append(rest[1])
        del rest[:2]
    if not rest or rest[0] not in PARTS:
        sys.stderr.write(f"usage: boot.py [--path FOLDER]... {' | '.join(PARTS)}\n")
        return 2
    if rest[0] == "local":
        # At once: until then anybody with its user id can read its settings, and
        # `nobody` may be the user of other things as well.
        hide_environment()
    load(Path(__file__).resolve().parent)
    result: int = import_module(f"{NAME}.{PARTS[rest[0]]}").main(rest[1:])
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
