"""Sets up in Home Assistant what a person would set up in its pages."""

from collections.abc import Sequence
import os
from pathlib import Path
from typing import Any

from .client import Client, Socket
from .errors import HouseError
from .options import Brain, BrainKind

FLOWS = "/api/config/config_entries/flow"
AGENT = "conversation.caesar"
# The key is never looked at: the server is one of ours on this machine.
MODEL_KEY = "sk-test"
# Of a server that somebody named: the variable with its key, if it wants one.
OWN_KEY = "CAESAR_DEMO_MODEL_KEY"
PROVIDERS = {
    BrainKind.BUILTIN: "builtin",
    BrainKind.SCRIPTED: "anthropic",
    BrainKind.ANTHROPIC: "anthropic",
    BrainKind.OPENAI: "openai_compatible",
    BrainKind.OLLAMA: "ollama",
}
CHILDRENS_ROOM = "children_s_room"
# The starter policies of the form's second page.
FURTHER = ("guest", "empty")
MOST_STEPS = 8
LANGUAGES = {"en": "CAESAR", "de": "CAESAR (Deutsch)"}


async def build_house(owner: Client, generated: int | None) -> None:
    """Build the demo house, unless it stands already."""
    if not await _is_set_up(owner, "demo_house"):
        size = {} if generated is None else {"generated": generated}
        await _walk(owner, "demo_house", {"user": size})


async def set_up_caesar(
    owner: Client, brain: Brain, policy: str | Path, assistants: Sequence[str] = ()
) -> None:
    """Set CAESAR up through its own form, unless it is set up already.

    With a policy file there is no choice of a policy: CAESAR keeps the file.
    `assistants` are the ids of the voice assistants that are to go through it.
    """
    if await _is_set_up(owner, "caesar"):
        return
    starter = policy if isinstance(policy, str) else "everyday"
    server = {"url": brain.where}
    key = os.environ.get(OWN_KEY)
    await _walk(
        owner,
        "caesar",
        {
            "user": {"provider": PROVIDERS[brain.kind]},
            "anthropic": {"api_key": MODEL_KEY},
            "openai_compatible": {**server, "api_key": key} if key else server,
            "ollama": server,
            "model": {"model": brain.model},
            "policy": {"policy": "more" if starter in FURTHER else starter},
            "policy_more": {"policy": starter},
            "family": {"childrens_rooms": [CHILDRENS_ROOM]},
            "policy_kept": {},
            "assistants": {"assistants": list(assistants)} if assistants else {},
        },
    )


async def set_up_wyoming(owner: Client, port: int) -> None:
    """Add a server or satellite of this machine that speaks the Wyoming protocol."""
    await _walk(owner, "wyoming", {"user": {"host": "127.0.0.1", "port": port}})


async def set_up_mcp_server(owner: Client) -> None:
    """Set up Home Assistant's MCP server, which serves all LLM APIs to admins."""
    if not await _is_set_up(owner, "mcp_server"):
        await _walk(owner, "mcp_server", {"user": {}})


async def give_assist_to_caesar(owner: Client) -> None:
    """Make CAESAR the agent of the preferred voice assistant, and of a German one."""
    async with owner.socket() as socket:
        listed = await socket.command("assist_pipeline/pipeline/list")
        by_name = {item["name"]: item["id"] for item in listed["pipelines"]}
        for language, name in LANGUAGES.items():
            if name not in by_name:
                by_name[name] = await _create_pipeline(socket, name, language)
        await socket.command(
            "assist_pipeline/pipeline/set_preferred",
            pipeline_id=by_name[LANGUAGES["en"]],
        )


async def _create_pipeline(socket: Socket, name: str, language: str) -> str:
    created = await socket.command(
        "assist_pipeline/pipeline/create",
        name=name,
        language=language,
        conversation_engine=AGENT,
        conversation_language=language,
        prefer_local_intents=False,
        **dict.fromkeys(
            (
                "stt_engine",
                "stt_language",
                "tts_engine",
                "tts_language",
                "tts_voice",
                "wake_word_entity",
                "wake_word_id",
            )
        ),
    )
    identifier: str = created["id"]
    return identifier


async def _is_set_up(owner: Client, domain: str) -> bool:
    entries = await owner.request(
        "GET", f"/api/config/config_entries/entry?domain={domain}"
    )
    return bool(entries)


def _first_model(step: dict[str, Any]) -> str:
    """Return the first model that a form offers; empty if there is none."""
    (field,) = step["data_schema"]
    offered: list[str] = field["selector"]["select"]["options"]
    return offered[0] if offered else ""


async def _walk(
    owner: Client, handler: str, answers: dict[str, dict[str, Any]]
) -> None:
    """Go through a config flow, answering each form by its step.

    Raises HouseError when a form is unknown or refused, or the entry fails.
    """
    step = await owner.request("POST", FLOWS, {"handler": handler})
    for _ in range(MOST_STEPS):
        if step["type"] != "form":
            break
        answer = answers.get(step["step_id"])
        if answer == {"model": ""}:
            answer = {"model": _first_model(step)}
        if answer is None or step.get("errors"):
            raise HouseError(
                f"Setting up {handler} stopped at the form {step['step_id']}: "
                f"{step.get('errors') or 'it is not known here'}."
            )
        step = await owner.request("POST", f"{FLOWS}/{step['flow_id']}", answer)
    if step["type"] != "create_entry":
        raise HouseError(
            f"Setting up {handler} ended with {step.get('reason', step['type'])}."
        )
    state = step["result"]["state"]
    if state != "loaded":
        raise HouseError(
            f"{handler} is set up but does not run ({state}): "
            f"{step['result'].get('reason') or 'see the log'}."
        )
