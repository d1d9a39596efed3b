"""The page in the sidebar: what is built is what the source gives, in two languages."""

import json
from pathlib import Path
import re
import shutil
import subprocess
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
SOURCE: Final = ROOT / "frontend" / "src"
PLACEHOLDER: Final = re.compile(r"\{\w+\}")


def texts(language: str) -> dict[str, str]:
    """Return the page's own words."""
    text = (SOURCE / "texts" / f"{language}.json").read_text(encoding="utf-8")
    known: dict[str, str] = json.loads(text)
    return known


def build(root: Path) -> subprocess.CompletedProcess[str]:
    """Compare the built file with the source, in this checkout."""
    return subprocess.run(
        [root / "script" / "panel", "--check"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_built_file_is_what_the_source_gives() -> None:
    """Whoever changes the source builds it."""
    done = build(ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("src/texts/en.json", "Nothing waits", "Something waits", "run script/panel"),
        ("src/diff.ts", "let head = 0", 'let head: number = "0"', "TS2322"),
    ],
)
def test_a_changed_source_is_noticed(
    tmp_path: Path, file: str, old: str, new: str, told: str
) -> None:
    """A text that was not built, and a fault of types."""
    for name in ("script", "custom_components/caesar/panel"):
        shutil.copytree(ROOT / name, tmp_path / name)
    left_out = shutil.ignore_patterns("node_modules")
    shutil.copytree(ROOT / "frontend", tmp_path / "frontend", ignore=left_out)
    (tmp_path / "frontend/node_modules").symlink_to(ROOT / "frontend/node_modules")
    source = tmp_path / "frontend" / file
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")
    done = build(tmp_path)
    assert done.returncode != 0
    assert told in done.stderr + done.stdout


def test_both_languages_say_the_same_things() -> None:
    """Each text is in both, with the same values in it."""
    english, german = texts("en"), texts("de")
    assert list(english) == sorted(english)
    assert list(german) == list(english)
    for key, text in english.items():
        assert text.strip() == text != "", key
        assert german[key].strip() == german[key] != "", key
        found = sorted(PLACEHOLDER.findall(german[key]))
        assert found == sorted(PLACEHOLDER.findall(text)), key


def test_each_text_is_used() -> None:
    """What the page doesn't say any more is not kept."""
    code = "".join(
        path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.ts"))
    )
    prefixes = {*re.findall(r'named\([^,]+,\s*"(\w+)"', code), "tab"}
    unused = [
        key
        for key in texts("en")
        if f'"{key}"' not in code and key.split("_")[0] not in prefixes
    ]
    assert unused == []


def test_the_page_never_makes_markup_of_text() -> None:
    """The ways to do so don't stand in the source."""
    for path in sorted(SOURCE.rglob("*.ts")):
        code = path.read_text(encoding="utf-8")
        for way in (
            "unsafe",
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "<ha-markdown",
        ):
            assert way not in code, f"{path.name}: {way}"
