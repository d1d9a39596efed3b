"""The checks of what people read: translations, actions, icons."""

from pathlib import Path

import pytest

from checks import PACKAGE

from .checked_house import ENGLISH, ICONS, build, changed, messages, write


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a tree that no check has anything against."""
    build(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("greeting", {"a": "A"}, "not a valid option"),
        ("config/step/user/dta", {"key": "Key"}, "not a valid option"),
        ("config/step/user/title", 3, "expected str"),
        ("config/step/user/title", "", "is empty"),
        ("config/step/user/title", " Hello", "begins or ends with a blank"),
        ("config/step/user/title", "Hello\n", "begins or ends with a blank"),
        ("config/step/user/title", "<b>Hello</b>", "holds HTML"),
        ("config/step/user/title", "See https://example.org", "holds an address"),
        ("config/step/user/title", "See www.example.org", "holds an address"),
        ("config/step/user/title", "Say '{word}'", "in single quotes"),
        ("config/step/user/title", "Say {word", "braces that are no placeholder"),
        ("config/step/user/title", "Say {two words}", "braces that are no placeholder"),
        ("config/step/user/title", "Say {}", "braces that are no placeholder"),
        ("config/step/user/data_description/door", "A", "describes no field of data"),
        ("config/error/No_Key", "A", "is not a valid key"),
        ("config/error/no_key_", "A", "is not a valid key"),
        ("config/error/a", "A", "keys must be sorted"),
        ("issues/bad_policy/description", None, "required"),
        ("exceptions/bad_text", {"text": "x"}, "required"),
        ("config_subentries/agent/entry_type", "Agent", "required"),
        ("services/ask/name", None, "required"),
    ],
)
def test_translations(house: Path, path: str, value: object, message: str) -> None:
    """Each text that Home Assistant or a reader would stumble over."""
    write(house / PACKAGE / "translations" / "en.json", changed(ENGLISH, path, value))
    found = [text for text in messages("translations", house) if "/en.json:" in text]
    assert any(message in text for text in found), found


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("config/error/no_key", None, "is missing"),
        ("config/error/no_lock", "Kein Schloss.", "is not in en.json"),
        ("exceptions/bad_text/message", "{txt} geht nicht.", "placeholders ['text']"),
        ("exceptions/bad_text/message", "Das geht nicht.", "placeholders ['text']"),
    ],
)
def test_translation_parity(
    house: Path, path: str, value: object, message: str
) -> None:
    """A language that lags behind is found."""
    write(house / PACKAGE / "translations" / "de.json", changed(ENGLISH, path, value))
    found = messages("translation_parity", house)
    assert any(message in text and "/de.json:" in text for text in found), found


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "exceptions.timeout.message: is missing"),
        ({"timeout": "Trop long."}, "must have the placeholders ['target']"),
        ({"timeout": "{targets} : trop long."}, "placeholders ['target']"),
        (
            {"timeout": "{target} : trop long.", "bad_text": "{text}"},
            "is no spoken message",
        ),
        ({"timeout": "{target} : trop long.", "turn_odd": "x"}, "is not in en.json"),
        ({"timeout": "{target} : trop long."}, ""),
    ],
)
def test_a_further_language_has_the_spoken_messages(
    house: Path, said: dict[str, str], message: str
) -> None:
    """All that is heard in an answer, and nothing else: that would be half a form."""
    folder = house / PACKAGE / "translations"
    spoken = {"message": "{target} took too long."}
    for language in ("en", "de"):
        write(
            folder / f"{language}.json", changed(ENGLISH, "exceptions/timeout", spoken)
        )
    texts = {key: {"message": text} for key, text in sorted(said.items())}
    write(folder / "fr.json", {"exceptions": texts})
    found = messages("translation_parity", house)
    assert bool(found) is bool(message)
    assert all("/fr.json:" in text for text in found)
    assert any(message in text for text in found) or not message


def test_translation_parity_needs_english(house: Path) -> None:
    """English is what the others are compared with."""
    (house / PACKAGE / "translations" / "en.json").unlink()
    assert messages("translation_parity", house)


@pytest.mark.parametrize(
    "code",
    [
        "raise ServiceValidationError(translation_key='gone')",
        "from h import HomeAssistantError as E\nraise E(translation_key='gone')",
        "KEY = 'gone'\nraise HomeAssistantError(translation_key=KEY)",
        "raise ConfigEntryNotReady(translation_key='gone')",
        "raise HomeAssistantError(translation_key='bad_text')",
        "raise HomeAssistantError(translation_key='bad_text', "
        "translation_placeholders={'txt': ''})",
        "ir.async_create_issue(h, 'caesar', 'x', translation_key='gone')",
        "SelectSelectorConfig(options=[], translation_key='gone')",
        "class A:\n    _attr_translation_key = 'gone'",
        "SensorEntityDescription(key='a', translation_key='gone')",
        "def f(self): return self.async_abort(reason='gone')",
        "def f(self): return self.async_show_form(step_id='gone')",
        "def f(self): return self.async_show_form(errors={'base': 'gone'})",
        "errors = {'base': 'gone'}",
        "errors: dict[str, str] = {}\nerrors['base'] = 'gone'",
    ],
)
def test_translation_use(house: Path, code: str) -> None:
    """A key that has no text would show up as the key."""
    (house / PACKAGE / "x.py").write_text(code, encoding="utf-8")
    assert any("/x.py:" in text for text in messages("translation_use", house))


def test_translation_use_knows_what_exists(house: Path) -> None:
    """What has its text passes, and so does what Home Assistant says itself."""
    code = """
def f(self, key):
    errors = {"base": "no_key"}
    self.async_abort(reason="reauth_successful")
    self.async_abort(reason="no_room")
    self.async_show_form(step_id="user", errors=errors)
    raise HomeAssistantError(translation_key=key)
raise HomeAssistantError(
    translation_key="bad_text", translation_placeholders={"text": "x"}
)
"""
    (house / PACKAGE / "x.py").write_text(code, encoding="utf-8")
    assert messages("translation_use", house) == []


@pytest.mark.parametrize(
    ("file", "path", "value"),
    [
        ("translations/en.json", "services/ask", None),
        ("translations/en.json", "services/tell", {"description": "T", "name": "T"}),
        ("translations/en.json", "services/ask/fields/kind", None),
        ("translations/en.json", "services/ask/fields/b", {"description": "B"}),
        ("translations/en.json", "selector/kind/options/two", None),
        ("icons.json", "services/ask", None),
        ("icons.json", "services/tell", {"service": "mdi:chat"}),
    ],
)
def test_services_and_their_texts(
    house: Path, file: str, path: str, value: object
) -> None:
    """An action is described wherever Home Assistant looks."""
    data = ICONS if file == "icons.json" else ENGLISH
    write(house / PACKAGE / file, changed(data, path, value))
    assert messages("services", house)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("f = lambda hass: hass.services.async_register('caesar', 'tell', f)", "tell"),
        ("async_register_admin_service(hass, 'caesar', 'tell', f)", "tell"),
        ("async_register_admin_service(hass, 'caesar', service='tell')", "tell"),
        ("x.async_register_entity_service('tell', {}, 'f')", "tell"),
    ],
)
def test_services_and_the_code(house: Path, code: str, message: str) -> None:
    """An action that is registered is described."""
    (house / PACKAGE / "x.py").write_text(code, encoding="utf-8")
    assert any(message in text for text in messages("services", house))


def test_services_without_code(house: Path) -> None:
    """An action that is described is registered."""
    (house / PACKAGE / "__init__.py").write_text("", encoding="utf-8")
    assert any("not registered" in text for text in messages("services", house))
    (house / PACKAGE / "services.yaml").write_text("a: [", encoding="utf-8")
    assert any("is not YAML" in text for text in messages("services", house))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("entity/event/decision/default", "hass:gavel", "not an mdi: icon"),
        ("entity/event/decision/default", "mdi:Gavel", "not an mdi: icon"),
        ("entity/event/other", {"default": "mdi:gavel"}, "has no name"),
        ("entity/event/decision/state", {"a": "mdi:gavel"}, "default icon again"),
        ("actions", {"ask": "mdi:chat"}, "is not a section"),
    ],
)
def test_icons(house: Path, path: str, value: object, message: str) -> None:
    """An icon that the frontend does not have shows nothing."""
    write(house / PACKAGE / "icons.json", changed(ICONS, path, value))
    assert any(message in text for text in messages("icons", house))
