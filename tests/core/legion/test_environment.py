"""Settings come from the environment, and from nowhere else."""

from pathlib import Path

import pytest

from custom_components.caesar.legion.environment import Environment, SettingsError

BRAVE = "CAESAR_TOOLS__WEB_SEARCH__BRAVE_API_KEY"
LIMIT = "CAESAR_TOOLS__WEB_SEARCH__RESULT_LIMIT"


def test_names_are_read_in_any_capitals() -> None:
    """Containers and shells write them either way."""
    environment = Environment({"caesar_tools__Web_Search__BACKEND": " brave "})
    assert environment.section("web_search").text("backend") == "brave"
    assert environment.section("WEB_SEARCH").require("Backend") == "brave"


def test_two_spellings_with_two_values_are_refused() -> None:
    """Which of them holds must not depend on their order."""
    assert Environment({LIMIT: "3", LIMIT.lower(): "3"}).unknown() == []
    with pytest.raises(SettingsError, match=f"{LIMIT} is set twice"):
        Environment({LIMIT: "3", LIMIT.lower(): "4"})


def test_an_empty_value_counts_as_not_set() -> None:
    """Compose files and unit files often leave a name without a value."""
    section = Environment({BRAVE: "  ", LIMIT: ""}).section("web_search")
    assert section.secret("brave_api_key") is None
    assert section.text("brave_api_key", "none") == "none"
    assert section.number("result_limit", 5, 1, 25) == 5


@pytest.mark.parametrize("value", ["0", "26", "x", "1.5", "nan", "1" * 5000])
def test_a_whole_number_stays_within_its_bounds(value: str) -> None:
    """The message names the variable and the bounds, not the value."""
    section = Environment({LIMIT: value}).section("web_search")
    with pytest.raises(SettingsError) as caught:
        section.number("result_limit", 5, 1, 25)
    assert str(caught.value) == f"{LIMIT} must be a whole number from 1 to 25."


def test_numbers_are_whole_if_their_default_is() -> None:
    """A timeout may be a fraction, a limit may not."""
    section = Environment(
        {LIMIT: "7", "CAESAR_TOOLS__WEB_SEARCH__TIMEOUT_SECONDS": "2.5"}
    ).section("web_search")
    assert section.number("result_limit", 5, 1, 25) == 7
    assert section.number("timeout_seconds", 10.0, 0.5, 60.0) == 2.5


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "ten"])
def test_a_fraction_stays_within_its_bounds_too(value: str) -> None:
    """NaN is in no interval, though it is smaller than nothing."""
    name = "CAESAR_TOOLS__WEB_SEARCH__TIMEOUT_SECONDS"
    section = Environment({name: value}).section("web_search")
    with pytest.raises(SettingsError, match=f"{name} must be a number from 0.5 to 60"):
        section.number("timeout_seconds", 10.0, 0.5, 60.0)


def test_a_list_of_names_is_json() -> None:
    """Names of calendars may hold commas and spaces."""
    name = "CAESAR_TOOLS__CALENDAR__CALENDAR_NAMES"
    section = Environment({name: '["Home, sweet", "Work "]'}).section("calendar")
    assert section.names("calendar_names") == ("Home, sweet", "Work")
    assert Environment({}).section("calendar").names("calendar_names") == ()


@pytest.mark.parametrize("value", ["Home", '"Home"', "[1]", '[""]', "{}", "[" * 9999])
def test_what_is_no_list_of_texts_is_refused(value: str) -> None:
    """The message shows how one is written."""
    name = "CAESAR_TOOLS__CALENDAR__CALENDAR_NAMES"
    section = Environment({name: value}).section("calendar")
    with pytest.raises(SettingsError, match=f"{name} must be a JSON list"):
        section.names("calendar_names")


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    """As secrets of containers and credentials of systemd do."""
    file = tmp_path / "key"
    file.write_text("s3cret\n", encoding="utf-8")
    section = Environment({f"{BRAVE}_FILE": str(file)}).section("web_search")
    assert section.secret("brave_api_key") == "s3cret"
    assert section.require("brave_api_key") == "s3cret"


def test_a_secret_is_set_once(tmp_path: Path) -> None:
    """Two sources for one secret are a mistake, whichever is meant."""
    values = {BRAVE: "a", f"{BRAVE}_FILE": str(tmp_path / "key")}
    with pytest.raises(SettingsError, match="both set"):
        Environment(values).section("web_search").secret("brave_api_key")


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe", b"x" * 65_537])
def test_a_file_without_a_secret_is_refused(tmp_path: Path, content: bytes) -> None:
    """Empty, not text, or something else than a secret."""
    file = tmp_path / "key"
    file.write_bytes(content)
    section = Environment({f"{BRAVE}_FILE": str(file)}).section("web_search")
    with pytest.raises(SettingsError, match=f"{BRAVE}_FILE names must hold the value"):
        section.secret("brave_api_key")


def test_a_missing_file_is_named_by_its_variable(tmp_path: Path) -> None:
    """The reason is the system's."""
    section = Environment({f"{BRAVE}_FILE": str(tmp_path / "no")}).section("web_search")
    with pytest.raises(SettingsError, match=f"{BRAVE}_FILE .* No such file"):
        section.secret("brave_api_key")


def test_what_is_required_and_missing_says_what_to_do() -> None:
    """Both ways of giving it are named."""
    with pytest.raises(SettingsError) as caught:
        Environment({}).section("web_search").require("brave_api_key")
    assert str(caught.value) == (
        f"{BRAVE} is missing. Set it, or let {BRAVE}_FILE name a file that holds it."
    )


def test_no_value_is_shown() -> None:
    """Not by repr, and not by a message."""
    environment = Environment({BRAVE: "s3cret", LIMIT: "s3cret", "HOME": "/home/x"})
    section = environment.section("web_search")
    with pytest.raises(SettingsError) as caught:
        section.number("result_limit", 5, 1, 25)
    for text in (repr(environment), repr(section), str(caught.value)):
        assert "s3cret" not in text
    assert repr(environment) == "<Environment of 2 settings>"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("CAESAR_TOOLS__WEB_SEARCH__BRAVE_APIKEY", f"; did you mean {BRAVE}?"),
        ("CAESAR_TOOLS__WEBSEARCH__BRAVE_API_KEY", f"; did you mean {BRAVE}?"),
        (
            "CAESAR_TOOL__CALENDAR__PASSWORD",
            "; did you mean CAESAR_TOOLS__CALENDAR__PASSWORD?",
        ),
        ("CAESAR_LEGION__LISTENPORT", "; did you mean CAESAR_LEGION__LISTEN_PORT?"),
        (
            "CAESAR_TOOLS__WEB_SEERCH__XY",
            "; did you mean CAESAR_TOOLS__WEB_SEARCH__...?",
        ),
        ("CAESAR_TOOLS__BINS__FOLDER", "."),
    ],
)
def test_a_slip_is_found(name: str, hint: str) -> None:
    """A name that nobody reads would be missed in silence otherwise."""
    environment = Environment({name: "x", BRAVE: "y", f"{BRAVE}_FILE": "z"})
    environment.section("calculator")
    assert environment.unknown() == [
        f"{name} is not a setting that anything here reads{hint}"
    ]


def test_what_a_tool_asks_for_is_known() -> None:
    """One's own tool needs no list of its settings."""
    values = {
        "CAESAR_TOOLS__BINS__FOLDER": "/srv",
        "CAESAR_TOOLS__BINS__KEY_FILE": "/run/key",
        "CAESAR_PYTHON_PREFIX": "not a worker's",
    }
    environment = Environment(values)
    assert len(environment.unknown()) == 2
    section = environment.section("bins")
    assert section.text("folder") == "/srv"
    with pytest.raises(SettingsError):
        section.secret("key")
    assert environment.unknown() == []
    assert environment.legion.text("worker_id") is None
