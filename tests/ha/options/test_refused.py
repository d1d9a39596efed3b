"""Recently refused: from a no to a rule, or once."""

from typing import Any

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from .dialog import (
    EVERYDAY,
    LIGHT,
    NOTHING,
    URL,
    Options,
    file_of,
    loaded_rows,
    on_disk,
    verdict,
)


class TestRefused:
    """From a no to a rule."""

    async def refuse(self, options: Options, *, times: int = 1) -> None:
        """Have a model be refused."""
        for _ in range(times):
            code = await verdict(
                options, "light.turn_on", entity_id=LIGHT, brightness_pct=40
            )
            assert code == "not_listed"

    async def test_nothing(self, options: Options) -> None:
        """Says so."""
        await options.menu("refused")
        assert options.shown["reason"] == "nothing_refused"

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_a_rule(self, options: Options) -> None:
        """Shown as the lines to be added; saved, it lets exactly this through."""
        await self.refuse(options, times=2)
        await options.menu("refused")
        (seq,) = options.options_of("refusal")
        await options.send(refusal=seq)
        assert options.shown["step_id"] == "refusal"
        assert "Kitchen light" in options.placeholders["action"]
        assert options.placeholders["count"] == "2"
        assert options.options_of("decision") == ["once", "ask", "allow", "keep"]
        await options.send(decision="allow")
        assert options.shown["step_id"] == "changes"
        lines = options.placeholders["lines"]
        assert "+   - service: light.turn_on" in lines
        assert r"2× light\.turn\_on" in options.placeholders["changed"]
        assert "nobody is asked" in options.placeholders["note"]
        assert await on_disk(options) == NOTHING

        await options.send()
        assert options.shown["type"] == "create_entry"
        text = await on_disk(options)
        assert "target: {entity_id: [light.kitchen_light]}" in text
        assert "data: {brightness_pct: 40}" in text
        asked: dict[str, Any] = {"entity_id": LIGHT, "brightness_pct": 40}
        assert await verdict(options, "light.turn_on", **asked) == "done"
        asked["brightness_pct"] = 41
        assert await verdict(options, "light.turn_on", **asked) == "data_not_allowed"
        row = (await loaded_rows(options))[-1]
        assert (row["how"], row["by"], row["denial"]) == (
            "rule",
            options.house.user_id,
            int(seq),
        )
        await options.menu("undo")
        await options.send()
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_once(self, options: Options) -> None:
        """Once, for this call; the file stays as it is."""
        await self.refuse(options)
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="once")
        assert options.shown["reason"] == "allowed_once"
        asked: dict[str, Any] = {"entity_id": LIGHT, "brightness_pct": 40}
        assert await verdict(options, "light.turn_on", **asked) == "done"
        assert await verdict(options, "light.turn_on", **asked) == "not_listed"
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_keep(self, options: Options) -> None:
        """Nothing changes, and the list is there again."""
        await self.refuse(options)
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="keep")
        assert options.shown["step_id"] == "refused"
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_a_lock_is_asked_about(self, options: Options) -> None:
        """Always allow is not offered; a rule asks."""
        code = await verdict(options, "lock.unlock", entity_id="lock.front_door")
        assert code == "not_listed"
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        assert "allow" not in options.options_of("decision")
        assert options.placeholders["note"]
        await options.send(decision="ask")
        assert "+     approval: always" in options.placeholders["lines"]
        assert "any" in options.placeholders["note"]
        await options.send()
        code = await verdict(options, "lock.unlock", entity_id="lock.front_door")
        assert code == "approval_needed"

    @pytest.mark.parametrize(
        "options",
        [
            NOTHING
            + 'bot:\n  tool_policy:\n    deny: ["light__*", "shell_command__*"]\n'
        ],
        indirect=True,
    )
    async def test_what_is_ruled_out_stays_so(self, options: Options) -> None:
        """Neither a rule nor once."""
        code = await verdict(options, "light.turn_on", entity_id=LIGHT)
        assert code == "policy_denied"
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        assert options.options_of("decision") == ["keep"]
        assert "on purpose" in options.placeholders["note"]

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    @pytest.mark.parametrize(
        ("service", "entity_id"),
        [
            ("script.turn_on", "script.let_guests_in"),
            ("scene.turn_on", "scene.welcome_home"),
            ("cover.open_cover", "cover.evening_covers"),
            ("automation.turn_off", "automation.ask_caesar"),
        ],
    )
    async def test_what_holds_a_lock_or_could_is_asked_about(
        self, options: Options, hass: HomeAssistant, service: str, entity_id: str
    ) -> None:
        """A script can be rewritten; a rule that never asks would do what it says."""
        async_expose_entity(hass, "conversation", entity_id, True)
        code = await verdict(options, service, entity_id)
        assert code == "not_listed"
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        assert options.options_of("decision") == ["once", "ask", "keep"]
        assert "asked each time" in options.placeholders["note"]
        # A form that was tampered with gets no other rule either.
        response = await options.client.post(
            f"{URL}/{options.shown['flow_id']}", json={"decision": "allow"}
        )
        assert response.status == 400

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_values_that_no_rule_can_hold(self, options: Options) -> None:
        """It says so, and nothing is saved."""
        asked: dict[str, Any] = {"entity_id": LIGHT, "rgb_color": [255, 0, 0]}
        await verdict(options, "light.turn_on", **asked)
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="allow")
        assert options.shown["errors"] == {"base": "no_rule"}
        assert "values" in options.placeholders["problem"]
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_allowed_meanwhile(self, options: Options) -> None:
        """What the policy has learned in between is not offered again."""
        await self.refuse(options)
        await file_of(options).async_save(
            EVERYDAY, expected_revision=file_of(options).revision, by=None
        )
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        assert options.options_of("decision") == ["keep"]

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_a_hundred_refusals_tell_no_phone(
        self, options: Options, hass: HomeAssistant
    ) -> None:
        """A hostile model chooses what is refused; nothing is pushed to anybody."""
        calls = async_capture_events(hass, "call_service")
        for number in range(100):
            await verdict(options, "light.turn_on", LIGHT, brightness_pct=number)
        told = [each for each in calls if each.data["domain"] == "notify"]
        assert told == []
        await options.menu("refused")
        assert 0 < len(options.options_of("refusal")) <= 50

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_only_for_admins(
        self,
        options: Options,
        hass: HomeAssistant,
        hass_read_only_access_token: str,
        hass_client: ClientSessionGenerator,
    ) -> None:
        """Another user does not even see the menu."""
        client = await hass_client(hass_read_only_access_token)
        response = await client.post(
            URL, json={"handler": options.house.entry.entry_id}
        )
        assert response.status == 401

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_a_models_words_are_no_markup(self, options: Options) -> None:
        """What it puts into a call is neither a link nor a picture that is fetched."""
        await verdict(
            options,
            "media_player.play_media",
            "media_player.music_box",
            media_content_id="![](//evil.example/x.png)",
            media_content_type="**bold**",
        )
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        action = options.placeholders["action"]
        assert r"\!\[\]\(\/\/evil" in action
        assert "![" not in action
        assert "**" not in action
        await options.send(decision="ask")
        lines = options.placeholders["lines"]
        assert lines.count("```") == 2
        assert "evil" in lines

    @pytest.mark.parametrize("options", ["version: 1\n"], indirect=True)
    async def test_the_first_rule_of_a_file(self, options: Options) -> None:
        """What could be read stays readable; it is shown and written as a whole."""
        await self.refuse(options)
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="ask")
        assert "+   - weather.get_forecasts" in options.placeholders["lines"]
        await options.send()
        policy = file_of(options).loaded
        assert policy is not None
        assert policy.may_grant("weather.get_forecasts")
        assert policy.may_grant("calculator")
        assert not policy.may_grant("light.turn_off")

    async def test_all_other_lines_stay(self, options: Options) -> None:
        """A rule is added at its place; the file is byte-equal without its lines."""
        thermostat = "climate.living_room_thermostat"
        code = await verdict(
            options, "climate.set_temperature", thermostat, temperature=26
        )
        assert code == "data_not_allowed"
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="allow")
        added = [
            line.removeprefix("+ ")
            for line in options.placeholders["lines"].splitlines()
            if line.startswith("+")
        ]
        await options.send()
        text = (await on_disk(options)).splitlines()
        at = text.index(added[0])
        assert text[at : at + len(added)] == added
        del text[at : at + len(added)]
        assert "\n".join([*text, ""]) == EVERYDAY
        code = await verdict(
            options, "climate.set_temperature", thermostat, temperature=26
        )
        assert code == "done"
        code = await verdict(
            options, "climate.set_temperature", thermostat, temperature=27
        )
        assert code == "data_not_allowed"

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_unloaded_meanwhile(
        self, options: Options, hass: HomeAssistant
    ) -> None:
        """A form that is still open ends."""
        await self.refuse(options)
        await options.menu("refused")
        assert await hass.config_entries.async_unload(options.house.entry.entry_id)
        await options.send(refusal=options.options_of("refusal")[0])
        assert options.shown["reason"] == "not_loaded"
