"""The command line of script/run."""

from pathlib import Path

import pytest

from house.options import Asker, Brain, BrainKind, parse


def test_without_anything_it_is_the_house_to_look_at() -> None:
    """Everyday policy, built-in brain, the usual port."""
    options = parse([])
    assert options.asks == ()
    assert options.policy == "everyday"
    assert options.brain == Brain(kind=BrainKind.BUILTIN)
    assert options.generated is None
    assert options.port == 8123
    assert options.servers


def test_asking_takes_any_port() -> None:
    """So that it runs beside a house that is looked at."""
    options = parse(["--ask", "one", "--ask", "two", "--json"])
    assert not options.talk
    assert parse(["--ask", "one", "--talk"]).talk
    assert options.asks == ("one", "two")
    assert options.as_json
    assert options.port == 0
    assert options.asker is Asker.OWNER


def test_files_are_taken_from_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative paths work, whatever the folder of the checkout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.yaml").write_text("version: 1\n")
    (tmp_path / "script.json").write_text("{}")
    options = parse(["--policy", "rules.yaml", "--brain", "scripted:script.json"])
    assert options.policy == tmp_path / "rules.yaml"
    assert options.brain == Brain(
        kind=BrainKind.SCRIPTED, where=str(tmp_path / "script.json")
    )


@pytest.mark.parametrize(
    ("value", "brain"),
    [
        (
            "openai:http://127.0.0.1:9/v1",
            Brain(kind=BrainKind.OPENAI, where="http://127.0.0.1:9/v1"),
        ),
        (
            "ollama:http://127.0.0.1:9#qwen3:8b",
            Brain(kind=BrainKind.OLLAMA, where="http://127.0.0.1:9", model="qwen3:8b"),
        ),
    ],
)
def test_servers_with_models(value: str, brain: Brain) -> None:
    """A server of one's own, and one of its models."""
    assert parse(["--brain", value]).brain == brain


def test_the_rest_of_the_options() -> None:
    """Each reaches its field."""
    line = (
        "--ask x --as satellite --language de --home 100 "
        "--brain anthropic:http://127.0.0.1:9 --port 9000 --keep d --no-servers"
    )
    options = parse(line.split())
    assert options.asker is Asker.SATELLITE
    assert options.language == "de"
    assert options.generated == 100
    assert options.brain.where == "http://127.0.0.1:9"
    assert options.port == 9000
    assert options.folder == Path("d")
    assert not options.servers


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--json"], "--json needs at least one --ask"),
        (["--as", "child"], "--as needs at least one --ask"),
        (["--policy", "generous"], "generous is neither a file nor one of everyday"),
        (["--brain", "scripted"], "scripted is not builtin, scripted:FILE"),
        (["--brain", "builtin:x"], "builtin:x is not builtin"),
        (["--brain", "other:x"], "other:x is not builtin"),
        (["--brain", "scripted:/nowhere"], "there is no file /nowhere"),
        (["--home", "0"], "0 is neither demo nor a number"),
        (["--home", "big"], "big is neither demo nor a number"),
        (["--port", "70000"], "70000 is not a port"),
        (["--as", "burglar"], "invalid"),
    ],
)
def test_mistakes_are_named(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a sentence."""
    with pytest.raises(SystemExit) as stopped:
        parse(arguments)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
