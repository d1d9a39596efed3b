"""What of the house a person may know, for the prompt of their turns."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..brain.finder import Finder
from ..brain.home_index import HomeIndex, IndexEntry, home_index
from ..brain.prompt import Moment
from ..policy.caller import Caller
from ..policy.home import EntityFacts
from .home import HomeAssistantHome
from .users import Users

_KEPT: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a person may know of the house: as text, and to search by words."""

    index: HomeIndex
    finder: Finder


class HomeKnowledge:
    """What of the house may be told to whom, made anew only when the house changes.

    People who may read the same things share it, to the letter.
    """

    def __init__(self, home: HomeAssistantHome, users: Users) -> None:
        """Look at this house."""
        self._home = home
        self._users = users
        self._of: tuple[EntityFacts, ...] | None = None
        self._entries: tuple[IndexEntry, ...] = ()
        self._known: OrderedDict[tuple[str, ...] | None, Known] = OrderedDict()

    def of(self, user_id: str | None) -> Known:
        """Return what a user may know; without a user, all that is shared."""
        exposed = self._home.exposed()
        if exposed is not self._of:
            self._of, self._entries = exposed, tuple(map(self._entry, exposed))
            self._known.clear()
        entries, key = self._entries, None
        if user_id is not None and not self._users.may_read_all(user_id):
            entries = tuple(
                each
                for each in entries
                if self._users.may_read(user_id, each.entity_id)
            )
            key = tuple(each.entity_id for each in entries)
        known = self._known.get(key)
        if known is None:
            known = Known(index=home_index(entries), finder=Finder(entries))
            self._known[key] = known
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known

    def moment(
        self, caller: Caller, known: Known, text: str, lately: Sequence[str]
    ) -> Moment:
        """Return where the person is, and what they may mean that isn't in the index."""
        name = self._home.area_name(caller.area_id)
        return Moment(
            area=(name, caller.area_id) if name and caller.area_id else None,
            meant=known.finder.find(
                text,
                area_id=caller.area_id,
                lately=lately,
                without=known.index.named,
            ),
        )

    def _entry(self, facts: EntityFacts) -> IndexEntry:
        return IndexEntry(
            entity_id=facts.entity_id,
            name=facts.name,
            area=self._home.area_name(facts.area_id),
            area_id=facts.area_id,
            aliases=self._home.aliases(facts.entity_id),
        )
