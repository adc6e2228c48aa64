"""Runs work inside a network namespace: a function in a thread of its own, or a program.

The thread may change its namespaces: they end with it, and the caller's stay.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from vppcfg.errors import LinuxError
from vppcfg.linux.netns import FOLDER, Namespaces, unmount
from vppcfg.linux.refusal import no_netns, refusal_of, require_netns_name

Result = TypeVar("Result")
TIMEOUT_S = 30.0
_BUSY = "Linux changes one thing at a time: is a namespace with thousands of devices being removed? else see `dmesg`"


def run_inside(netns: str, work: Callable[[], Result], timeout_s: float = TIMEOUT_S) -> Result:
    """Return what `work` returns in the namespace `netns`, '' for the caller's own. Raise LinuxError, or as it does."""

    def enter_and_work() -> Result:
        Namespaces(None).enter(netns)
        return work()

    return run_apart(enter_and_work, timeout_s)


def command_inside(netns: str, command: Sequence[str]) -> list[str]:
    """Return the command line that runs `command` in the namespace `netns`, with a /sys of its own; '' is here."""
    if not netns:
        return list(command)
    require_netns_name(netns)
    return ["ip", "netns", "exec", netns, *command]


def remove_netns(name: str) -> bool:
    """Remove the name of a namespace, which ends with the last process in it; return whether there was one.

    Raise LinuxError.
    """
    require_netns_name(name)
    path = f"{FOLDER}/{name}"
    if not os.path.lexists(path):
        return False
    try:
        unmount(path)
        os.unlink(path)
    except OSError as error:
        raise refusal_of(f"remove the network namespace {name}", error) from error
    return True


def processes_inside(netns: str) -> Iterator[int]:
    """Yield the ids of the processes in a namespace, as `ip netns pids` does. Raise LinuxError when there is none."""
    try:
        desired = os.stat(f"{FOLDER}/{netns}")
    except FileNotFoundError:
        raise no_netns(netns) from None
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.path.samestat(os.stat(f"/proc/{pid}/ns/net"), desired):
                yield int(pid)
        except OSError:
            continue  # it has ended, or is a kernel thread


def set_sysctl(netns: str, name: str, value: str) -> None:
    """Set a value below /proc/sys/net of a namespace, such as `ipv4/ip_forward`. Raise LinuxError."""

    def write() -> None:
        try:
            with open(f"/proc/sys/net/{name}", "w") as file:
                file.write(value)
        except OSError as error:
            raise refusal_of(f"set net/{name} to {value} in namespace {netns}", error) from error

    run_inside(netns, write)


def run_apart(work: Callable[[], Result], timeout_s: float = TIMEOUT_S) -> Result:
    """Return what `work` returns, or raise what it raises; it runs in a thread that nothing else uses.

    Raise LinuxError when it takes longer than `timeout_s`; the thread then ends as soon as the kernel lets it.
    """
    executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="linux")
    future = executor.submit(work)
    try:
        wait([future], timeout_s)
    except BaseException:  # a signal: what is under way ends before anything else begins
        wait([future], timeout_s)
        raise
    finally:
        executor.shutdown(wait=future.done())
    if not future.done():
        raise LinuxError(f"Linux has not answered for {timeout_s:g} seconds", _BUSY)
    return future.result()
