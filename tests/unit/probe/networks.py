"""Networks of files, as predictions need them: resolved on a VPP that has just their ports, with MAC addresses."""

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.state import State
from vppcfg.probe.network import Network
from vppcfg.record import evolve


def state_of(text: str) -> State:
    """Return the desired state of a file; its interfaces have the MAC addresses from 02:00:00:00:01:00 on."""
    configuration = parse_text(text, "file.yaml").configuration
    assert configuration is not None
    state = resolve(configuration, assumed_state(configuration)).desired
    with_macs = {
        name: evolve(each, mac=f"02:00:00:00:01:{at:02}") for at, (name, each) in enumerate(state.interfaces.items())
    }
    return evolve(state, interfaces=with_macs)


def network_of(text: str) -> Network:
    return Network(state_of(text))
