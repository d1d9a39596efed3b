"""Names of conversations that outlive Home Assistant's five minutes and its restart.

Home Assistant gives a new name to whoever comes back with one of its own making (a
ULID) that it has forgotten, and keeps any other name as it is (helpers/chat_session).
So a person who types is answered under a name of ours, which says the same.
"""

from typing import Final

from homeassistant.util.ulid import ulid_to_bytes

_PREFIX: Final = "caesar-"


def lasting_id(conversation_id: str) -> str:
    """Return the name under which a person may come back to a conversation."""
    return (
        f"{_PREFIX}{conversation_id}" if _is_ulid(conversation_id) else conversation_id
    )


def own_id(conversation_id: str) -> str:
    """Return the conversation's name as it began, however it was called since."""
    began = conversation_id.removeprefix(_PREFIX)
    return began if _is_ulid(began) else conversation_id


def _is_ulid(conversation_id: str) -> bool:
    try:
        ulid_to_bytes(conversation_id)
    except ValueError:
        return False
    return True
