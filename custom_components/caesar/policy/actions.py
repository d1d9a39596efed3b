"""What starting a scene, a script or an automation does, as far as it can be read."""

from dataclasses import dataclass
from typing import Final

from .call import ServiceCall

CONTENT_DOMAINS: Final = frozenset({"automation", "scene", "script"})
SCENE_APPLY: Final = "scene.apply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What is inside.

    `acts` are the service calls that can be read from it, whichever of its branches
    runs; a scene is a `scene.apply`. `whole` says that there are no others: without
    it, anything may happen besides. `fingerprint` is the SHA-256 of its
    configuration, so that an edit shows even where nothing can be read.
    """

    acts: tuple[ServiceCall, ...] = ()
    whole: bool
    fingerprint: str
