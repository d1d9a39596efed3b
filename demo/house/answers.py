"""What came of a question."""

from dataclasses import asdict, dataclass, field
from typing import Any

CALL_KEYS = ("tool", "target", "verdict", "code", "rule", "outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One question with its answer.

    `calls` has one entry for each tool call, with the keys of CALL_KEYS.
    """

    text: str
    answer: str
    decision_id: str | None
    calls: tuple[dict[str, Any], ...] = field(default=())

    @classmethod
    def of(cls, text: str, response: dict[str, Any]) -> Turn:
        """Read the response data of `caesar.ask`."""
        return cls(
            text=text,
            answer=response["answer"],
            decision_id=response["decision_id"],
            calls=tuple(
                {key: call[key] for key in CALL_KEYS} for call in response["calls"]
            ),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the turn for JSON."""
        return {**asdict(self), "calls": list(self.calls)}

    def as_text(self) -> str:
        """Return the turn for people."""
        lines = [f"> {self.text}", self.answer]
        for call in self.calls:
            target = ", ".join(call["target"]) or "-"
            lines.append(
                f"    {call['verdict']:<6}{call['tool']}  {target}  "
                f"[{call['code']}; {call['rule'] or 'no rule'}; {call['outcome']}]"
            )
        return "\n".join(lines)
