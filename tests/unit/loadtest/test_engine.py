"""A generator is given back whatever happens."""

import os
import signal

import pytest

from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import held, uninterrupted
from vppcfg.loadtest.simulated import SimulatedDevice, SimulatedEngine


class Stubborn(SimulatedEngine):
    """Refuses to stop."""

    def stop(self) -> None:
        raise EngineError("it goes on")


@pytest.mark.parametrize("end", [KeyboardInterrupt, EngineError("lost"), ValueError("a bug")])
def test_an_error_or_interruption_frees_the_ports_and_goes_on(end: BaseException | type[BaseException]) -> None:
    engine = SimulatedEngine(SimulatedDevice(), SimulatedClock())
    with pytest.raises(end if isinstance(end, type) else type(end)), held(engine, ("0", "1")):
        engine.start(1000.0, 10.0)
        raise end
    assert engine.is_idle


def test_ports_are_freed_even_if_the_traffic_does_not_stop() -> None:
    engine = Stubborn(SimulatedDevice(), SimulatedClock())
    with pytest.raises(EngineError, match="it goes on"), held(engine, ("0", "1")):
        pass
    assert engine.is_idle


def test_an_interruption_waits_for_the_work_of_a_moment() -> None:
    done = False
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        done = True
    assert done
