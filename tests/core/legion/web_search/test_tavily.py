"""Tavily, against a fake that follows its documentation."""

import pytest

from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.web_search.tavily import Tavily
from custom_components.caesar.legion.worker import TaskError
from tests.fakes.tavily import KEY, FakeTavily

from .searching import answering, over, searched, urls

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_it_finds() -> None:
    """With the key as a bearer token; sites go where the service has a place for them."""
    async with FakeTavily() as service:
        worker = over(Tavily(KEY, service.api))
        answer = await searched(worker, "boiling point of ethanol", limit=1)
        assert answer["backend"] == "tavily"
        assert urls(answer) == ["https://chemistry.example/ethanol"]
        allowed = ("builders.example", "*.lexicon.example")
        answer = await searched(worker, hints=Hints(domain_allowlist=allowed))
        assert len(answer["results"]) == 2
        await searched(worker, domain="lexicon.example")
        await searched(
            worker,
            hints=Hints(domain_allowlist=tuple(f"a{n}.example" for n in range(400))),
        )
        await worker.stop()
    assert service.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert [one.data.get("include_domains") for one in service.received[:3]] == [
        None,
        ["builders.example", "lexicon.example"],
        ["lexicon.example"],
    ]
    assert service.received[2].data["query"] == "heat pump"


@pytest.mark.parametrize(
    ("status", "code", "retryable", "said"),
    [
        (429, "rate", True, "no more searches for the moment"),
        (432, "plan_limit", False, "The searches of the Tavily plan are used up"),
        (433, "plan_limit", False, "limit for pay-as-you-go is reached"),
        (500, "backend_error", True, "Tavily answered with error 500: Internal Server"),
    ],
)
async def test_its_errors(status: int, code: str, retryable: bool, said: str) -> None:
    """Each with what to do."""
    async with FakeTavily(status=status) as service:
        worker = over(Tavily(KEY, service.api))
        with pytest.raises(TaskError, match=said) as refused:
            await searched(worker)
        await worker.stop()
    assert (refused.value.code, refused.value.retryable) == (code, retryable)


async def test_a_key_that_it_does_not_accept() -> None:
    """The key is not said."""
    async with FakeTavily() as service:
        worker = over(Tavily("tvly-other", service.api))
        with pytest.raises(TaskError, match="does not accept the key") as refused:
            await searched(worker)
        await worker.stop()
    assert refused.value.code == "bad_key"
    assert "tvly-other" not in refused.value.message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"detail": "Blocked"}', "error 403: Blocked"),
        ('{"detail": [1]}', r"error 403: \{"),
        ("[]", r"error 403: \[\]"),
    ],
)
async def test_an_error_in_another_shape(body: str, said: str) -> None:
    """Its words are passed on wherever they stand."""
    async with answering(body, status=403) as service:
        worker = over(Tavily(KEY, service.url))
        with pytest.raises(TaskError, match=said):
            await searched(worker)
        await worker.stop()


@pytest.mark.parametrize("body", ["7", "{}", '{"results": 7}'])
async def test_an_answer_in_another_shape(body: str) -> None:
    """It is said, not taken for nothing found."""
    async with answering(body) as service:
        worker = over(Tavily(KEY, service.url))
        with pytest.raises(TaskError, match="not a list of search results"):
            await searched(worker)
        await worker.stop()
