"""Work in a thread of its own, which may change its namespaces as it likes: they end with it, the caller's stay."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from vppcfg.errors import LinuxError

Result = TypeVar("Result")
TIMEOUT_S = 30.0
_BUSY = "Linux changes one thing at a time: is a namespace with thousands of devices being removed? else see `dmesg`"


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
