"""Sentences of Activity: what CAESAR did, could not do or was not allowed to do."""

from collections.abc import Mapping
import re
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_cached_translations

from ..const import (
    DOMAIN,
    EVENT_APPROVAL_DECIDED,
    EVENT_APPROVAL_REQUESTED,
    EVENT_TOOL_CALLED,
    EVENT_TOOL_FAILED,
)
from ..wording import translation_of

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_PREFIX: Final = f"component.{DOMAIN}.exceptions.activity_"

# The words for a service; a bare service name stands for every domain.
_VERBS: Final[Mapping[str, str]] = {
    "turn_on": "turn_on",
    "turn_off": "turn_off",
    "toggle": "toggle",
    "lock.lock": "lock",
    "lock.unlock": "unlock",
    "lock.open": "open",
    "cover.open_cover": "open",
    "cover.close_cover": "close",
    "cover.set_cover_position": "move",
    "cover.stop_cover": "stop",
    "cover.toggle": "move",
    "valve.open_valve": "open",
    "valve.close_valve": "close",
    "climate.set_temperature": "set_temperature",
    "climate.set_hvac_mode": "set_mode",
    "media_player.media_play": "play",
    "media_player.play_media": "play",
    "media_player.media_pause": "pause",
    "media_player.media_stop": "stop",
    "media_player.volume_set": "volume",
    "media_player.volume_up": "volume",
    "media_player.volume_down": "volume",
    "media_player.volume_mute": "volume",
    "fan.set_percentage": "speed",
    "vacuum.start": "start",
    "vacuum.return_to_base": "dock",
    "vacuum.stop": "stop",
    "scene.turn_on": "scene",
    "script.turn_on": "script",
    "alarm_control_panel.alarm_disarm": "disarm",
    "alarm_control_panel.alarm_arm_away": "arm",
    "alarm_control_panel.alarm_arm_home": "arm",
    "alarm_control_panel.alarm_arm_night": "arm",
    "todo.add_item": "add_item",
}
# The words for tools of the house, which are about no entity.
_HOUSE_VERBS: Final[Mapping[str, str]] = {
    "cancel_planned": "unplan",
    "forget_conversation": "forget",
    "plan_command": "plan",
    "timer_cancel": "cancel_timer",
    "timer_change": "change_timer",
    "timer_start": "start_timer",
}
# Reasons that a person would word alike.
_REASONS: Final[Mapping[str, str]] = {
    "no_approver": "approval_needed",
    "not_listed": "policy",
    "policy_denied": "policy",
    "target_required": "policy",
    "target_not_covered": "policy",
    "data_not_allowed": "policy",
    "input_not_allowed": "policy",
    "domain_not_allowed": "policy",
    "caller_not_covered": "policy",
    "too_many_entities": "policy",
    "malformed_target": "invalid",
    "invalid_input": "invalid",
    "unknown_tool": "invalid",
    "rate_limited": "too_often",
    "too_many_calls": "too_often",
    "quota_exceeded": "too_often",
    "repeated_call": "too_often",
}
_OTHER: Final = "other"


def message(hass: HomeAssistant, event_type: str, data: Mapping[str, Any]) -> str:
    """Return what follows the agent's name, in Home Assistant's language.

    Runs in the recorder's threads as well: it reads translations that are loaded.
    """
    words = _Words(hass)
    tool = str(data.get("tool", ""))
    targets = words.targets(data)
    verb = verb_of(tool, targets)
    values = {"targets": targets, "tool": tool}
    if event_type == EVENT_TOOL_CALLED:
        return words.text(f"done_{verb}", values)
    if event_type in (EVENT_APPROVAL_REQUESTED, EVENT_APPROVAL_DECIDED):
        return _approval(words, event_type, data, f"do_{verb}", values)
    action = words.text(f"not_{verb}", values)
    code = str(data.get("code"))
    reason = words.find(f"because_{_REASONS.get(code, code)}") or words.text(
        f"because_{_OTHER}", {}
    )
    kind = "failed" if event_type == EVENT_TOOL_FAILED else "denied"
    return words.text(kind, {"action": action, "reason": reason})


def _approval(
    words: _Words,
    event_type: str,
    data: Mapping[str, Any],
    what: str,
    values: Mapping[str, str],
) -> str:
    action = words.text(what, values)
    if event_type == EVENT_APPROVAL_REQUESTED:
        return words.text("asks", {"action": action})
    who = str(data.get("by") or "") or words.text("somebody", {})
    verdict = f"approval_{data.get('verdict')}"
    return words.text(verdict, {"action": action, "who": who})


def unsealed(hass: HomeAssistant, *, known: bool) -> str:
    """Return what is said of an event that CAESAR did not fire, or may not have."""
    return _Words(hass).text("forged" if known else "unchecked", {})


def verb_of(tool: str, targets: str) -> str:
    """Return the key of the words for a call of a tool on these targets, if any."""
    if not targets:
        return _HOUSE_VERBS.get(tool, _OTHER)
    return _VERBS.get(tool) or _VERBS.get(tool.partition(".")[2], _OTHER)


class _Words:
    def __init__(self, hass: HomeAssistant) -> None:
        # One that isn't loaded is empty. Where Home Assistant has a language and we
        # don't ("pt" for "pt-BR"), its texts of ours are the English ones.
        language = hass.config.language
        self._texts = tuple(
            async_get_cached_translations(hass, each, "exceptions", DOMAIN)
            for each in dict.fromkeys((translation_of(language), language, "en"))
        )

    def find(self, key: str) -> str | None:
        """Return a text in the first language that has it."""
        name = f"{_PREFIX}{key}.message"
        return next((texts[name] for texts in self._texts if name in texts), None)

    def text(self, key: str, values: Mapping[str, str]) -> str:
        """Return a text with its values; the key if the text is nowhere."""
        text = self.find(key) or key
        # In one go: a name may look like a placeholder.
        filled = _PLACEHOLDER.sub(lambda match: values.get(match[1], ""), text)
        return " ".join(filled.split())

    def targets(self, data: Mapping[str, Any]) -> str:
        """Return the names, as a list that a person would write."""
        names = [str(name) for name in data.get("names") or ()]
        more = int(data.get("count") or 0) - len(names)
        if more > 0:
            names.append(self.text("more", {"count": str(more)}))
        if len(names) < 2:
            return "".join(names)
        return self.text("and", {"first": ", ".join(names[:-1]), "last": names[-1]})
