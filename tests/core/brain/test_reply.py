"""What is shown and what is spoken."""

import pytest

from custom_components.caesar.brain.reply import Display, show, speak


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("![cat](https://x.example/c.png)", "[cat](https://x.example/c.png)"),
        ("![cat][1]", "[cat][1]"),
        ("<img src=x onerror=y>", "< img src=x onerror=y>"),
        ("2 < 3 and a<b", "2 < 3 and a< b"),
        ("wow!", "wow!"),
        ("[link](https://a.example)", "[link](https://a.example)"),
    ],
)
def test_show(text: str, shown: str) -> None:
    """Links stay; images and tags can't load anything, however the text is cut."""
    assert show(text) == shown
    for cut in range(len(text) + 1):
        display = Display()
        parts = [display.feed(text[:cut]), display.feed(text[cut:]), display.rest()]
        assert "".join(parts) == shown
    letter_by_letter = Display()
    assert "".join(map(letter_by_letter.feed, text)) + letter_by_letter.rest() == shown


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("**Done.** The _light_ is `on` 💡", "Done. The light is on"),
        ("# Title\n- one\n- two", "Title\none\ntwo"),
        ("See [the page](https://a.example/b) now", "See the page now"),
        ("More at https://a.example/b?c=d", "More at"),
        ("light.kitchen_light and snake_case", "light.kitchen_light and snake_case"),
        ("21.5 °C – schön, nicht wahr?", "21.5 °C – schön, nicht wahr?"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("> quoted", "quoted"),
    ],
)
def test_speak(text: str, spoken: str) -> None:
    """A voice says no markup, no address and no emoji."""
    assert speak(text) == spoken
