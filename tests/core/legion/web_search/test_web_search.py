"""What comes back of a search: cleaned, judged, bounded."""

import json
from typing import Any

from hassil import Intents, recognize
from hassil.intents import WildcardSlotList
import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.web_search import SPEC
from custom_components.caesar.legion.worker import TaskError
from custom_components.caesar.providers.builtin.tool_sentences import (
    heard_sentences,
    sentence_problems,
)

from .searching import Listed, found, over, searched, urls

GOOD = "https://en.lexicon.example/wiki/Heat_pump"


async def test_a_result_is_title_address_snippet_and_domain() -> None:
    """And the answer says what was asked, and of whom."""
    listed = Listed([found(GOOD, "Heat pump", "Moves heat.")])
    assert await searched(over(listed), " heat  pump\n") == {
        "query": "heat pump",
        "results": [
            {
                "title": "Heat pump",
                "url": GOOD,
                "snippet": "Moves heat.",
                "domain": "en.lexicon.example",
            }
        ],
        "backend": "listed",
    }


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        7,
        ["https://a.example/"],
        "javascript:alert(1)//a.example",
        "data:text/html,x",
        "ftp://a.example/x",
        "//a.example/x",
        "https:///x",
        "https://owner:secret@a.example/",
        "https://a.example\\@b.example/",
        "https://a.exa\nmple/",
        "https://a.example/\u202egpj",
        "https://a.example:99999/",
        "https://a.example/" + "x" * 2_100,
    ],
)
async def test_what_has_no_address_goes_before_the_limit(url: Json) -> None:
    """Five such entries leave room for the one that is a result."""
    listed = Listed([*[found(url)] * 5, found(GOOD)])
    assert urls(await searched(over(listed), limit=1)) == [GOOD]


async def test_the_same_address_counts_once() -> None:
    """Services list pages twice."""
    listed = Listed([found(GOOD), found(GOOD, "Again"), found(f"{GOOD}?2")])
    assert urls(await searched(over(listed))) == [GOOD, f"{GOOD}?2"]


@pytest.mark.parametrize(("asked", "given"), [(None, 5), (2, 2), (25, 25), (999, 25)])
async def test_the_limit(asked: int | None, given: int) -> None:
    """Five if none is named; a larger one than there is becomes the largest."""
    listed = Listed([found(f"https://a.example/{number}") for number in range(40)])
    worker = over(listed)
    answer = await (searched(worker, limit=asked) if asked else searched(worker))
    assert len(answer["results"]) == given


@pytest.mark.parametrize("limit", [True, 0, -1, 2.0, "5"])
async def test_a_limit_that_is_no_number(limit: Json) -> None:
    """A bool is not a number."""
    with pytest.raises(TaskError, match="whole number") as refused:
        await searched(over(Listed()), limit=limit)
    assert refused.value.code == "bad_input"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "nothing to search"),
        (" \u200b\n", "nothing to search"),
        (None, "nothing to search"),
        (["x"], "nothing to search"),
        ("x" * 401, "longer than 400"),
    ],
)
async def test_a_query_that_is_none(query: Json, said: str) -> None:
    """Nobody is asked."""
    listed = Listed()
    with pytest.raises(TaskError, match=said):
        await searched(over(listed), query)
    assert listed.asked == []


async def test_invisible_characters_are_not_searched_for() -> None:
    """What a person cannot see does not leave the house."""
    listed = Listed()
    await searched(over(listed), "heat\u200b pump\U000e0041\U000e0042\x00")
    assert listed.asked[0][0].query == "heat pump"


async def test_text_is_plain_and_bounded() -> None:
    """No markup, nothing invisible, cut between words."""
    listed = Listed(
        [
            found(
                GOOD,
                "<b>Heat</b> pump &amp; more" + " word" * 100,
                "A <script>x()</script>B\u202e\x07 &lt;i&gt;C&lt;/i&gt;\n"
                + "y" * 9_000,
            ),
            found(f"{GOOD}?2", None, 7),
        ]
    )
    first, second = (await searched(over(listed)))["results"]
    assert first["title"].startswith("Heat pump & more word")
    assert first["title"].endswith(" word…")
    assert len(first["title"]) <= 200
    assert first["snippet"].startswith("A B C yyy")
    assert len(first["snippet"]) == 500
    assert (second["title"], second["snippet"]) == ("en.lexicon.example", "")


async def test_the_largest_answer_fits_in_the_reply() -> None:
    """Twenty-five of the longest results are below what the tool says it may say."""
    listed = Listed(
        [
            found(
                f"https://a.example/{number:02}{'😀' * 2_000}", "😀" * 400, "😀" * 900
            )
            for number in range(30)
        ]
    )
    answer = await searched(over(listed), "😀" * 400, limit=25)
    assert len(answer["results"]) == 25
    assert len(json.dumps(answer)) < SPEC.max_reply_bytes


async def test_the_allow_list_drops_and_counts() -> None:
    """A bare entry is that host, a star its subdomains; the limit comes after."""
    listed = Listed(
        [
            found("https://evil.example/en.lexicon.example"),
            found("https://sub.en.lexicon.example/"),
            found("https://192.168.1.1/"),
            found("https://EN.lexicon.example./wiki"),
            found("https://a.open.example/"),
            found("https://open.example/"),
        ]
    )
    hints = Hints(domain_allowlist=("en.lexicon.example", "*.open.example"))
    answer = await searched(over(listed), hints=hints, limit=2)
    assert urls(answer) == [
        "https://EN.lexicon.example./wiki",
        "https://a.open.example/",
    ]
    assert answer["filtered"] == 4
    question, _ = listed.asked[0]
    assert question.site is None
    assert question.sites == ("en.lexicon.example", "*.open.example")


async def test_one_allowed_host_is_searched_alone() -> None:
    """So that the service looks only there; with a star it can't be said so."""
    listed = Listed()
    for allowed in (("a.example",), ("*.a.example",), ()):
        await searched(over(listed), hints=Hints(domain_allowlist=allowed))
    assert [question.site for question, _ in listed.asked] == ["a.example", None, None]


async def test_a_domain_of_ones_own() -> None:
    """Its subdomains count too, as they do for `site:`; nothing is counted as filtered."""
    listed = Listed(
        [
            found("https://de.lexikon.example/a"),
            found("https://lexikon.example/b"),
            found("https://notlexikon.example/c"),
        ]
    )
    answer = await searched(over(listed), domain="Lexikon.example.")
    assert urls(answer) == ["https://de.lexikon.example/a", "https://lexikon.example/b"]
    assert "filtered" not in answer
    assert listed.asked[0][0].with_operator() == "heat pump site:lexikon.example"


@pytest.mark.parametrize(
    "domain", ["", "https://a.example", "a.example/x", "localhost", "a b.example", 7]
)
async def test_a_domain_that_is_none(domain: Json) -> None:
    """An operator or a path cannot be smuggled in with it."""
    with pytest.raises(TaskError, match="name of a site"):
        await searched(over(Listed()), domain=domain)


async def test_a_domain_that_the_policy_does_not_allow() -> None:
    """Nobody is asked."""
    listed = Listed()
    with pytest.raises(TaskError, match=r"does not allow results of b\.example") as no:
        await searched(
            over(listed),
            domain="b.example",
            hints=Hints(domain_allowlist=("a.example",)),
        )
    assert no.value.code == "domain_not_allowed"
    assert listed.asked == []


async def test_the_callers_time_bounds_the_search() -> None:
    """What is left of it is for the way back."""
    listed = Listed()
    worker = over(listed)
    for seconds in (15, 4, 0.2):
        await searched(worker, timeout_s=seconds)
    assert [timeout_s for _, timeout_s in listed.asked] == [10, 3.5, 1]
    await worker.stop()
    assert listed.closed


def test_what_it_says_of_itself() -> None:
    """It reads, it goes outside, it holds nothing private, nobody vouches for it."""
    annotations = SPEC.annotations
    assert annotations.read_only
    assert annotations.open_world
    assert annotations.untrusted_result
    assert not annotations.destructive
    assert not annotations.private_data


@pytest.mark.parametrize(
    ("language", "sentence", "query"),
    [
        (
            "en",
            "search the web for the boiling point of ethanol",
            "the boiling point of ethanol",
        ),
        ("en", "look on the internet for heat pumps", "heat pumps"),
        ("en", "search for heat pumps online", "heat pumps"),
        ("en", "look up Mount Everest on the internet", "Mount Everest"),
        ("en", "what does the internet say about heat pumps", "heat pumps"),
        (
            "de",
            "suche im Internet nach dem Siedepunkt von Ethanol",
            "dem Siedepunkt von Ethanol",
        ),
        ("de", "such Wärmepumpen im Netz", "Wärmepumpen"),
        ("de", "was steht im Internet über Wärmepumpen", "Wärmepumpen"),
        ("de", "recherchiere im Internet Wärmepumpen", "Wärmepumpen"),
    ],
)
def test_its_sentences(language: str, sentence: str, query: str) -> None:
    """They are templates of hassil, with the query as a wildcard."""
    recognized = recognize(sentence, _intents(language))
    assert recognized is not None
    assert str(recognized.entities["query"].value).strip() == query


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "sentence", ["turn on the web light", "search for my phone", "suche mein Handy"]
)
def test_its_sentences_leave_others_alone(language: str, sentence: str) -> None:
    """What says nothing of the web is none of them."""
    assert recognize(sentence, _intents(language)) is None


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_built_in_brain_refuses_none_of_them(language: str) -> None:
    """Each has words of its own, and hears none of the everyday sentences."""
    assert sentence_problems(SPEC, language) == ()
    assert heard_sentences(SPEC, language) == SPEC.sentences[language]


def _intents(language: str) -> Intents:
    intents: dict[str, Any] = {
        "language": language,
        "intents": {
            "Search": {"data": [{"sentences": list(SPEC.sentences[language])}]}
        },
        "lists": {"query": {"wildcard": True}},
    }
    parsed = Intents.from_dict(intents)
    assert isinstance(parsed.slot_lists["query"], WildcardSlotList)
    return parsed
