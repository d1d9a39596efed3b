"""A checkpoint comes back exactly as it was, or not at all."""

from dataclasses import fields
import json
import math
from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.brain.checkpoint import (
    Checkpoint,
    ParkedCall,
    answered,
    from_bytes,
    to_bytes,
    turn_of,
)
from custom_components.caesar.brain.codec import CodecError, decode, encode
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    ToolResultMessage,
    Usage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.policy.call import ServiceCall
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import (
    ApprovalTerms,
    PolicyDecision,
    ResultFilter,
    RuleRef,
    Verdict,
)
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.providers.builtin.plan import Job, Kind, Plan
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing, Via
from custom_components.caesar.turn import (
    ApprovalResult,
    ApprovalState,
    GuardResult,
    Taint,
    ToolDecision,
    ToolError,
    ToolOutcome,
    ToolRequest,
    ToolScope,
)

# Lone surrogates too: a model may send them.
TEXT = st.text(st.characters(), max_size=8)
COUNT = st.integers(min_value=0, max_value=10**12)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
REASON = st.builds(
    Reason,
    code=st.sampled_from(Code),
    values=st.dictionaries(TEXT, TEXT, max_size=2),
)
VERDICT = st.sampled_from(Verdict)
POLICY = st.builds(
    PolicyDecision,
    verdict=VERDICT,
    reason=REASON,
    rule=st.none() | st.builds(RuleRef, name=TEXT, line=COUNT),
    impact=st.sampled_from(Impact),
    pinned=TEXTS,
    touched=TEXTS,
    named_in_data=TEXTS,
    content=TEXT,
    policy_rev=TEXT,
    approval=st.none() | st.builds(ApprovalTerms, approvers=TEXTS, pin=TEXT),
    result_filter=st.none() | st.builds(ResultFilter, domain_allowlist=TEXTS),
)
DECISION = st.builds(
    ToolDecision,
    policy=POLICY,
    guard=st.none() | st.builds(GuardResult, verdict=VERDICT, reason=REASON),
    approval=st.none()
    | st.builds(
        ApprovalResult,
        state=st.sampled_from(ApprovalState),
        reason=REASON,
        decided_by=st.none() | TEXT,
        approval_id=st.none() | TEXT,
    ),
    verdict=VERDICT,
)
TAINT = st.frozensets(st.sampled_from(Taint))
REQUEST = st.builds(
    ToolRequest, id=TEXT, name=TEXT, arguments=st.none() | OBJECT, raw=TEXT
)
OUTCOME = st.builds(
    ToolOutcome,
    request_id=TEXT,
    tool=TEXT,
    target=TEXTS,
    data=JSON,
    error=st.none() | st.builds(ToolError, code=st.sampled_from(Code), message=TEXT),
    decision=st.none() | DECISION,
    executed=st.booleans(),
    seq=st.none() | COUNT,
    parked=st.none() | TEXT,
    truncated=st.booleans(),
    taint=TAINT,
)
MESSAGE = (
    st.builds(UserMessage, text=TEXT)
    | st.builds(ToolResultMessage, outcome=OUTCOME)
    | st.builds(
        AssistantMessage,
        text=TEXT,
        requests=st.lists(REQUEST, max_size=2).map(tuple),
        vendor=st.lists(
            st.builds(VendorBlock, provider=TEXT, data=JSON), max_size=2
        ).map(tuple),
    )
)
CHECKPOINT = st.builds(
    Checkpoint,
    decision_id=TEXT,
    caller=st.builds(
        Caller,
        origin=st.sampled_from(Origin),
        user_id=st.none() | TEXT,
        is_admin=st.booleans(),
        agent_id=TEXT,
        context_id=TEXT,
    ),
    language=TEXT,
    session=TEXT,
    tools=st.sampled_from(ToolScope),
    provider=TEXT,
    model=TEXT,
    messages=st.lists(MESSAGE, max_size=4).map(tuple),
    first=COUNT,
    calls=st.lists(
        st.builds(ParkedCall, request=REQUEST, outcome=st.none() | OUTCOME),
        max_size=3,
    ).map(tuple),
    iteration=COUNT,
    iterations=COUNT,
    usage=st.builds(Usage, input_tokens=COUNT, output_tokens=COUNT),
    said=TEXT,
    taint=TAINT,
    carried=TAINT,
    actions=COUNT,
    seen=st.dictionaries(TEXT, OUTCOME, max_size=2),
    policy_rev=TEXT,
    created_at=st.floats(0, 1e10),
    expires_at=st.floats(0, 1e10),
)


@settings(max_examples=150, deadline=None)
@given(CHECKPOINT)
def test_it_comes_back_exactly(checkpoint: Checkpoint) -> None:
    """Values, their types and the bytes of calls are the same afterwards."""
    data = to_bytes(checkpoint)
    back = from_bytes(data)
    assert back == checkpoint
    # The bytes say of each value what it is: a tuple is no list, 1 is not 1.0.
    assert to_bytes(back) == data


def example() -> Checkpoint:
    """Return a small checkpoint."""
    request = ToolRequest(id="r1", name="call_service", arguments={"a": [1, 2.5]})
    return Checkpoint(
        decision_id="d",
        caller=Caller(origin=Origin.CHAT, agent_id="a", context_id="c"),
        language="en",
        session="s",
        tools=ToolScope.POLICY,
        provider="p",
        model="m",
        messages=(UserMessage(text="hi"), AssistantMessage(requests=(request,))),
        first=0,
        calls=(ParkedCall(request=request),),
        iteration=1,
        iterations=1,
        usage=Usage(),
        said="",
    )


def test_every_field_of_a_turn_goes_on() -> None:
    """A field that is added to the turn must be thought of here too."""
    kept = example()
    turn = turn_of(kept, kept.caller, 5.0)
    of_the_turn = {field.name for field in fields(turn)}
    # What is made anew: the time that is left, the yes in hand, who listens. What "it"
    # may mean, and what an answer is for, is settled before a turn can be parked.
    made_anew = {"deadline", "approved", "say", "last", "question", "words_only"}
    # Devices get their time again after a person has taken theirs.
    made_anew.add("waited")
    assert of_the_turn - made_anew <= {field.name for field in fields(kept)}


def test_nan_and_infinity_come_back() -> None:
    """A model may send them; JSON itself has no word for them."""
    back = decode(encode({"n": [math.inf, -math.inf, math.nan]}))
    assert isinstance(back, dict)
    assert back["n"][:2] == [math.inf, -math.inf]
    assert math.isnan(back["n"][2])


def test_the_built_in_brains_plan_comes_back() -> None:
    """Its vendor block holds an enumeration of its own."""
    plan = Plan(jobs=(Job(kind=Kind.ACT, intent="HassTurnOn"),))
    assert Plan.from_json(decode(encode(plan.as_json()))) == plan


@pytest.mark.parametrize(
    "value", [object(), {1: "key"}, b"bytes", ServiceCall(domain="a", service="b")]
)
def test_what_can_not_come_back_is_not_kept(value: object) -> None:
    """Better no checkpoint than another one."""
    with pytest.raises(CodecError):
        encode(value)


def test_too_deep_is_not_kept() -> None:
    """A model's arguments may be nested as deep as it likes."""
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(CodecError):
        encode(value)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"map":{"format":2}}',
        b'{"map":{"format":1}}',
        b'{"map":{"format":1,"calls":[]}}',
        b'{"Path":{"x":1}}',
        b'{"Code":"NO_SUCH"}',
        b'{"tuple":1}',
        b'{"map":[]}',
        b'{"a":1,"b":2}',
        b'{"Reason":{"code":{"Code":"ALLOWED"},"more":1}}',
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    """Nothing but our own format is read, and nothing else is raised."""
    with pytest.raises(CodecError):
        from_bytes(data)


def test_another_format_is_refused() -> None:
    """A checkpoint of another version is given up, not guessed at."""
    data = json.loads(to_bytes(example()))
    data["map"]["format"] = 2
    with pytest.raises(CodecError):
        from_bytes(json.dumps(data).encode())


@pytest.mark.parametrize("standing", list(Standing))
def test_only_an_unused_approval_is_a_yes(standing: Standing) -> None:
    """Whatever else became of a question, it is no yes."""
    caller = Caller(origin=Origin.CHAT, agent_id="a", context_id="c")
    pending = PendingApproval(
        id="p",
        decision_id="d",
        request_id="r",
        call=ServiceCall(domain="lock", service="unlock"),
        args_hash="hash",
        digest="digest",
        impact=Impact.DESTRUCTIVE,
        entry=True,
        entities=(),
        terms=ApprovalTerms(),
        rule=None,
        why=Reason(code=Code.APPROVAL_NEEDED),
        caller=caller,
        session="s",
        language="en",
        created_at=0,
        expires_at=900,
        standing=standing,
        decided_by="user-1",
        via=Via.PHONE,
    )
    answer = answered(pending)
    assert (answer.approved is not None) is (standing is Standing.APPROVED)
    assert (answer.code is Code.ALLOWED) is (standing is Standing.APPROVED)
    if answer.approved is not None:
        assert answer.approved.args_hash == "hash"
        assert answer.approved.digest == "digest"
        assert (answer.decided_by, answer.via) == ("user-1", "phone")
