"""Hosts that are network namespaces of this machine (namespaces(7), veth(4))."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
import os
from pathlib import Path
import subprocess
import time

from proofs.crash_parts.findings import Unproven

HOUSE_ADDRESS = "10.77.0.1"
WORKERS_ADDRESS = "10.77.0.2"
_READY_S = 10.0
# What is frozen would not hear a gentler signal when we are gone.
_TIED = ("setpriv", "--pdeathsig", "KILL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Another host: what is run with `prefix` before it runs there."""

    holder: int

    @property
    def prefix(self) -> Sequence[str]:
        """Return what enters the host; it stays one process."""
        return (*_TIED, "nsenter", f"--net={_network_of(self.holder)}", "--")


def leave_network() -> None:
    """Put this process, and all that it starts, into a network of its own.

    There is no way back, nor need of one: it vanishes with its last process. Raises
    Unproven if that isn't allowed here.
    """
    try:
        os.unshare(os.CLONE_NEWNET)
        _run("ip", "link", "set", "lo", "up")
    except (OSError, subprocess.CalledProcessError) as err:
        raise Unproven(
            f"a network of its own can't be made here, which takes root ({err})"
        ) from err


@contextmanager
def second_host() -> Iterator[Host]:
    """Give a host that a cable joins with ours; it is gone at the end.

    To be called after `leave_network`. Raises Unproven.
    """
    with subprocess.Popen(
        [*_TIED, "unshare", "--net", "--", "sleep", "infinity"],
        stdin=subprocess.DEVNULL,
    ) as holder:
        try:
            host = Host(holder=holder.pid)
            _until_apart(holder)
            _join(host)
            yield host
            left = _inside(host)
            if left != [holder.pid]:
                raise Unproven(f"processes are left on the second host: {left}")
        except subprocess.CalledProcessError as err:
            raise Unproven(f"two hosts can't be joined here ({err})") from err
        finally:
            holder.kill()


def lonely_cable() -> None:
    """Give our own network a cable that leads nowhere: multicast needs an interface."""
    _run("ip", "link", "add", "house0", "type", "veth", "peer", "name", "nowhere0")
    _run("ip", "link", "set", "nowhere0", "up")
    _address(("ip",), "house0", HOUSE_ADDRESS)


def _join(host: Host) -> None:
    _run(
        *("ip", "link", "add", "house0", "type", "veth"),
        *("peer", "name", "workers0", "netns", str(host.holder)),
    )
    _address(("ip",), "house0", HOUSE_ADDRESS)
    there = (*host.prefix, "ip")
    _run(*there, "link", "set", "lo", "up")
    _address(there, "workers0", WORKERS_ADDRESS)


def _address(ip: Sequence[str], name: str, address: str) -> None:
    _run(*ip, "address", "add", f"{address}/24", "dev", name)
    _run(*ip, "link", "set", name, "up")
    # What is sent to all of the network leaves by this cable.
    _run(*ip, "route", "add", "224.0.0.0/4", "dev", name)


def _until_apart(holder: subprocess.Popen[bytes]) -> None:
    """Wait until the holder has left our network."""
    until = time.monotonic() + _READY_S
    own = _network_of(os.getpid()).readlink()
    while _network_of(holder.pid).readlink() == own:
        if holder.poll() is not None or time.monotonic() > until:
            raise Unproven("a second network can't be made here")
        time.sleep(0.01)


def _inside(host: Host) -> list[int]:
    """Return the ids of the processes on a host."""
    network = _network_of(host.holder).readlink()
    found = []
    for folder in Path("/proc").iterdir():
        # Processes end while one looks at them.
        with suppress(OSError):
            if folder.name.isdigit() and _network_of(int(folder.name)).readlink() == (
                network
            ):
                found.append(int(folder.name))
    return found


def _network_of(pid: int) -> Path:
    return Path("/proc") / str(pid) / "ns" / "net"


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
