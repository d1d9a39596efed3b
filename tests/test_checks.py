"""Each check of ours finds what it is for, and only that.

Those of translations, actions and icons are in test_checks_texts.py.
"""

from pathlib import Path
import shutil
import subprocess
import sys

import pytest

import checks
from checks import PACKAGE, Problem, discover, sizes

from .checked_house import HACS, MANIFEST, build, changed, messages, write

ROOT = Path(__file__).parent.parent


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a tree that no check has anything against."""
    build(tmp_path)
    return tmp_path


def test_the_tree_has_no_problem() -> None:
    """The project keeps its own rules."""
    assert [str(problem) for problem in checks.run(ROOT)] == []


def test_a_tree_where_all_is_right_has_no_problem(house: Path) -> None:
    """The planted house is clean, so what is found below was planted."""
    assert checks.run(house) == []


def test_an_empty_tree_has_no_problem(tmp_path: Path) -> None:
    """What is not there breaks nothing."""
    assert checks.run(tmp_path) == []


def test_every_rule_is_found_by_its_name() -> None:
    """A file more is a rule more."""
    names = {path.stem for path in (ROOT / "checks").glob("[a-z]*.py")}
    assert set(discover()) == names


def test_the_command_prints_places_and_fails(house: Path) -> None:
    """`python -m checks` is what script/lint runs."""
    command = [sys.executable, "-m", "checks", str(house)]
    clean = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert clean.returncode == 0
    (house / "README.md").unlink()
    broken = subprocess.run(
        command, cwd=ROOT, capture_output=True, check=False, text=True
    )
    assert broken.returncode == 1
    assert "README.md:1: is missing" in broken.stdout


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("version", None, "version is missing"),
        ("issue_tracker", None, "issue_tracker is missing"),
        ("iot_class", "local", "is not a known class"),
        ("integration_type", "thing", "is not a known type"),
        ("documentation", "http://example.org", "must be an https address"),
        ("codeowners", ["someone"], "must be a list of names that begin with @"),
        ("domain", "cesar", "must be the folder's"),
        ("dependencies", "conversation", "must be a list of integrations"),
        ("requirements", ["a >= 1"], "without blanks"),
        ("single_config_entry", "yes", "must be true or false"),
        ("version", "one", "must be a version"),
        ("homeassistant", "2026.10.0", "is not a key of a manifest"),
        ("zzz", 1, "is not a key of a manifest"),
    ],
)
def test_manifest(house: Path, path: str, value: object, message: str) -> None:
    """Each key of the manifest is held to its rule."""
    write(house / PACKAGE / "manifest.json", changed(MANIFEST, path, value))
    assert any(message in text for text in messages("manifest", house))


def test_manifest_order_absence_and_syntax(house: Path) -> None:
    """The order counts, a key counts once, and an integration has a manifest."""
    manifest = house / PACKAGE / "manifest.json"
    write(manifest, dict(reversed(MANIFEST.items())))
    assert any("by the alphabet" in text for text in messages("manifest", house))
    manifest.write_text('{"domain": "a", "domain": "b"}', encoding="utf-8")
    assert any("given twice" in text for text in messages("manifest", house))
    manifest.unlink()
    assert any("is missing" in text for text in messages("manifest", house))


@pytest.mark.parametrize(
    "code",
    [
        "from homeassistant.components import http",
        "from homeassistant.components.mobile_app import DOMAIN",
        "import homeassistant.components.zeroconf as z",
        "def f():\n    from homeassistant.components.http import X",
    ],
)
def test_dependencies(house: Path, code: str) -> None:
    """A component that the code needs is named in the manifest."""
    (house / PACKAGE / "x.py").write_text(code, encoding="utf-8")
    assert any("/x.py:" in text for text in messages("dependencies", house))


def test_dependencies_that_need_no_mention(house: Path) -> None:
    """Those named, always there, only typed, or whose platform we bring."""
    code = """
from typing import TYPE_CHECKING
from homeassistant.components import conversation, light, persistent_notification
from homeassistant.components.recorder import get_instance
from homeassistant.components.repairs import RepairsFlow
from homeassistant.helpers import intent
if TYPE_CHECKING:
    from homeassistant.components.http import X
"""
    (house / PACKAGE / "x.py").write_text(code, encoding="utf-8")
    (house / PACKAGE / "repairs.py").touch()
    assert messages("dependencies", house) == []


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("name", None, "name is missing"),
        ("domains", ["light"], "is not a key"),
        ("homeassistant", "soon", "must be a version"),
        ("hide_default_branch", "yes", "must be true or false"),
        ("zip_release", True, "needs filename"),
    ],
)
def test_hacs(house: Path, path: str, value: object, message: str) -> None:
    """What HACS refuses is refused here first."""
    write(house / "hacs.json", changed(HACS, path, value))
    assert any(message in text for text in messages("hacs", house))


@pytest.mark.parametrize("name", ["README.md", "LICENSE", f"{PACKAGE}/brand/icon.png"])
def test_hacs_files(house: Path, name: str) -> None:
    """HACS shows a read-me, a licence and an icon."""
    (house / name).unlink()
    assert [text for text in messages("hacs", house) if text.startswith(name)]


def test_hacs_icon_is_an_image(house: Path) -> None:
    """A renamed drawing is not an icon."""
    (house / PACKAGE / "brand" / "icon.png").write_text("<svg/>", encoding="utf-8")
    assert any("not a PNG" in text for text in messages("hacs", house))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs/a.md", "as Praetor did"),
        ("x.py", "# TODO later"),
        ("x.py", "# FIXME"),
        ("script/x", "rm -rf /root/x"),
        ("x.py", "path = '/home/someone/x'"),
        ("x.py", "if x:  # pragma: no cover"),
    ],
)
def test_words(tmp_path: Path, name: str, text: str) -> None:
    """Words that belong to no file of the project."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"fine\n{text}\n", encoding="utf-8")
    assert [item for item in messages("words", tmp_path) if f"{name}:2:" in item]


@pytest.mark.parametrize(
    "text", ["Platform.TODO", "todo.add_item", "docs/root/x", "https://x/root/y"]
)
def test_words_that_are_none(tmp_path: Path, text: str) -> None:
    """What only resembles such a word passes."""
    (tmp_path / "x.md").write_text(text, encoding="utf-8")
    assert messages("words", tmp_path) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x = 1  # type: ignore", "must name the rule"),
        ("x = 1  # noqa", "must name the rule"),
        ("x = 1  # type: ignore[misc]", "needs its reason"),
        ("x = 1  # noqa: F401", "needs its reason"),
        ("x = 1  # noqa: F401 why", "needs its reason"),
    ],
)
def test_suppressions(tmp_path: Path, line: str, message: str) -> None:
    """Silencing a checker has a reason that can be read."""
    path = tmp_path / "x.py"
    path.write_text(line, encoding="utf-8")
    assert any(message in text for text in messages("suppressions", tmp_path))
    path.write_text("x = 1  # noqa: F401 - imported first on purpose", encoding="utf-8")
    assert messages("suppressions", tmp_path) == []


def long_file(root: Path) -> None:
    """Write a file and a function that are a line too long."""
    body = "    x = 1\n" * sizes.FUNCTION_LINES
    text = f"def long():\n{body}" + "y = 1\n" * sizes.FILE_LINES
    (root / "x.py").write_text(text, encoding="utf-8")


def test_sizes(tmp_path: Path) -> None:
    """Length is measured; the ceiling itself is allowed."""
    long_file(tmp_path)
    assert len(messages("sizes", tmp_path)) == 2
    body = "    x = 1\n" * (sizes.FUNCTION_LINES - 1)
    (tmp_path / "x.py").write_text(f"def f():\n{body}", encoding="utf-8")
    assert messages("sizes", tmp_path) == []


def test_sizes_may_be_allowed_with_a_reason(tmp_path: Path) -> None:
    """An exception has a reason and is still needed."""
    long_file(tmp_path)
    reason = "One table, better read in one piece."

    def judged(allowed: dict[str, str]) -> list[Problem]:
        return sizes.oversized(tmp_path, allowed)

    assert judged({"x.py": reason, "x.py:long": reason}) == []
    assert len(judged({"x.py": " ", "x.py:long": reason})) == 1
    assert len(judged({"x.py": reason, "x.py:long": reason, "y.py": reason})) == 1


def test_folders_of_tools_are_not_ours(tmp_path: Path) -> None:
    """What a tool unpacked is nobody's fault."""
    for name in (".venv", ".cache", "node_modules", "__pycache__"):
        (tmp_path / name).mkdir()
        long_file(tmp_path / name)
    assert checks.run(tmp_path) == []
    shutil.copytree(tmp_path / ".venv", tmp_path / "ours")
    assert checks.run(tmp_path)
