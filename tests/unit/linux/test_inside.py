"""Work in a thread of its own: what it returns and raises comes back, and no wait is without a bound."""

import os
import signal
import threading
import time

import pytest

from vppcfg.errors import LinuxError
from vppcfg.linux.inside import run_apart
from vppcfg.linux.netns import CLONE_NEWNET, setns


def test_the_result_comes_back_and_the_thread_ends() -> None:
    before = threading.active_count()
    assert run_apart(threading.current_thread) is not threading.current_thread()
    assert threading.active_count() == before


def test_an_error_comes_back_and_the_thread_ends() -> None:
    before = threading.active_count()
    with pytest.raises(FileNotFoundError):
        run_apart(lambda: os.stat("/nonexistent"))
    assert threading.active_count() == before


def test_work_without_an_end_is_an_error() -> None:
    end = threading.Event()
    with pytest.raises(LinuxError, match=r"Linux has not answered for 0\.05 seconds"):
        run_apart(end.wait, timeout_s=0.05)
    end.set()


def test_what_is_under_way_ends_before_an_interruption_goes_on() -> None:
    done: list[str] = []
    started = threading.Event()

    def work() -> None:
        started.set()
        time.sleep(0.2)
        done.append("work")

    def interrupt_after_start() -> None:
        started.wait()
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt_after_start)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        run_apart(work)
    interrupter.join()
    assert done == ["work"]


def test_a_system_call_that_fails_has_the_code_of_the_kernel() -> None:
    with open("/dev/null") as file, pytest.raises(OSError, match=r"Invalid argument|Operation not permitted"):
        setns(file.fileno(), CLONE_NEWNET)
