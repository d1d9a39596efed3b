"""The folder in which a run lives."""

import json
from pathlib import Path
import socket

import pytest

from house import seed
from house.errors import HouseError
from house.seed import free_port, is_free, prepare, run_folder


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the runs of these tests apart from real ones."""
    folder = tmp_path / "runs"
    monkeypatch.setattr(seed, "RUNS", folder)
    return folder


def test_the_newest_five_runs_are_kept(runs: Path) -> None:
    """Older ones go when a new one begins."""
    for number in range(8):
        old = runs / f"20200101-00000{number}-x"
        old.mkdir(parents=True)
        (old / "file").write_text("")
    with run_folder(None) as folder:
        assert folder.parent == runs
    assert sorted(path.name for path in runs.iterdir())[:4] == [
        f"20200101-00000{number}-x" for number in (4, 5, 6, 7)
    ]
    assert len(list(runs.iterdir())) == 5


def test_a_run_that_is_going_on_is_not_deleted() -> None:
    """However many newer ones there are."""
    with run_folder(None) as first:
        for _ in range(7):
            with run_folder(None):
                pass
        assert first.is_dir()


def test_a_kept_folder_serves_one_run_at_a_time(tmp_path: Path) -> None:
    """The second is told so."""
    with (
        run_folder(tmp_path / "mine"),
        pytest.raises(HouseError, match="Another run is using"),
        run_folder(tmp_path / "mine"),
    ):
        pass
    with run_folder(tmp_path / "mine") as folder:
        assert folder == tmp_path / "mine"


def test_a_fresh_folder_has_all_that_a_start_needs(tmp_path: Path) -> None:
    """Configuration, both integrations, the web server's settings, the policy."""
    policy = tmp_path / "rules.yaml"
    policy.write_text("version: 1\n")
    prepare(tmp_path, 4711, policy)
    assert (tmp_path / "configuration.yaml").is_file()
    for component in ("caesar", "demo_house"):
        manifest = tmp_path / "custom_components" / component / "manifest.json"
        assert json.loads(manifest.read_text())["domain"] == component
    http = json.loads((tmp_path / ".storage" / "http").read_text())
    assert http["data"]["stable"]["server_port"] == 4711
    assert http["data"]["stable"]["server_host"] == ["127.0.0.1"]
    assert (tmp_path / "caesar" / "policy.yaml").read_text() == "version: 1\n"


def test_a_used_folder_keeps_its_owner(tmp_path: Path) -> None:
    """Preparing again changes the port, not who was onboarded."""
    prepare(tmp_path, 1, None)
    onboarding = tmp_path / ".storage" / "onboarding"
    onboarding.write_text("already done")
    prepare(tmp_path, 2, None)
    assert onboarding.read_text() == "already done"
    http = json.loads((tmp_path / ".storage" / "http").read_text())
    assert http["data"]["stable"]["server_port"] == 2


@pytest.mark.usefixtures("socket_enabled")
def test_a_port_in_use_is_seen() -> None:
    """Before Home Assistant is started for nothing."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert not is_free(taken.getsockname()[1])
    assert is_free(free_port())
