"""Brave Search, against a fake that follows its documentation."""

import pytest

from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.web_search.brave import (
    LANGUAGES,
    REGIONAL,
    RENAMED,
    Brave,
    search_language,
)
from custom_components.caesar.legion.worker import TaskError
from tests.fakes import brave
from tests.fakes.brave import KEY, FakeBrave

from .searching import answering, over, searched, urls

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_it_finds() -> None:
    """With the key in its header, in the asker's language, without decorations."""
    async with FakeBrave() as service:
        worker = over(Brave(KEY, service.api))
        answer = await searched(worker, "boiling point of ethanol", limit=1)
        assert answer["backend"] == "brave"
        assert urls(answer) == ["https://chemistry.example/ethanol"]
        assert (await searched(worker, "zzz"))["results"] == []
        await searched(worker, hints=Hints(language="pt-BR"), domain="a.example")
        await worker.stop()
    first, _, last = service.received
    assert first.headers["x-subscription-token"] == KEY
    assert first.query == {
        "q": "boiling point of ethanol",
        "count": "20",
        "text_decorations": "false",
        "search_lang": "en",
    }
    assert last.query["q"] == "heat pump site:a.example"
    assert last.query["search_lang"] == "pt-br"


async def test_a_key_that_it_does_not_accept() -> None:
    """Which is a 422; the key is not said."""
    async with FakeBrave() as service:
        worker = over(Brave("BSAother", service.api))
        with pytest.raises(TaskError, match="does not accept the key") as refused:
            await searched(worker)
        await worker.stop()
    assert (refused.value.code, refused.value.retryable) == ("bad_key", False)
    assert "BSAother" not in refused.value.message


async def test_too_many_searches() -> None:
    """The plan's limit, a second's or a month's."""
    async with FakeBrave(limited=True) as service:
        worker = over(Brave(KEY, service.api))
        with pytest.raises(TaskError, match="no more searches for now") as refused:
            await searched(worker)
        await worker.stop()
    assert (refused.value.code, refused.value.retryable) == ("rate", True)


async def test_too_many_words() -> None:
    """It is told before anybody is asked, as a 422 would not say it."""
    async with FakeBrave() as service:
        worker = over(Brave(KEY, service.api))
        assert (await searched(worker, "a " * 49 + "a"))["results"] == []
        with pytest.raises(TaskError, match="at most 50 words"):
            await searched(worker, "a " * 51)
        assert len(service.received) == 1
        await worker.stop()


async def test_another_422_is_no_bad_key() -> None:
    """The code decides, not the status; what the service says is passed on."""
    body = (
        '{"type": "ErrorResponse", "error": {"code": "VALIDATION", "status": 422, '
        f'"detail": "Unable to validate <b>{KEY}</b>"}}}}'
    )
    async with answering(body, status=422) as service:
        worker = over(Brave(KEY, service.url))
        with pytest.raises(TaskError) as refused:
            await searched(worker)
        await worker.stop()
    assert refused.value.message == (
        "Brave Search answered with error 422: Unable to validate [key]"
    )


@pytest.mark.parametrize("status", [401, 403])
async def test_other_ways_to_refuse_a_key(status: int) -> None:
    """Without words."""
    async with answering("[]", status=status) as service:
        worker = over(Brave(KEY, service.url))
        with pytest.raises(TaskError, match="does not accept the key"):
            await searched(worker)
        await worker.stop()


@pytest.mark.parametrize(
    "body", ["7", '{"web": 7}', '{"web": {}}', '{"web": {"results": 1}}']
)
async def test_an_answer_in_another_shape(body: str) -> None:
    """It is said, not taken for nothing found."""
    async with answering(body) as service:
        worker = over(Brave(KEY, service.url))
        with pytest.raises(TaskError, match="not a list of search results"):
            await searched(worker)
        await worker.stop()


def test_languages() -> None:
    """Only what the service takes is asked for: another one would be refused."""
    ours = {*LANGUAGES, *RENAMED.values(), *REGIONAL.values()}
    assert ours <= brave.LANGUAGES
    assert brave.LANGUAGES - ours == set()
    tags = ("de", "de-CH", "ja", "zh_TW", "zh-Hans", "pt", "no", "el", "xx", "")
    assert [search_language(tag) for tag in tags] == [
        *("de", "de", "jp", "zh-hant", "zh-hans", "pt-pt", "nb"),
        *(None, None, None),
    ]
