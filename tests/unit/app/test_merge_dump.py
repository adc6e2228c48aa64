"""What VPP has, laid into a file that somebody wrote: comments, order and spelling stay where nothing changes."""

import re

import pytest

from tests.laws.examples import TIMES
from tests.laws.networks import numbered_edit
from vppcfg.app.merge_dump import merged_configuration
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.valid_dump import write
from vppcfg.errors import ConfigError, PlanRefusedError
from vppcfg.model.state import State
from vppcfg.plan.diff import diff

TYPED = """\
# The router at the ring.
x-mtu: &mtu 9000

interfaces:
    eth1:             # the uplink
        mtu: *mtu
        state: up     # as it is by default
        addresses: [ 192.0.2.1/24,
                     2001:DB8::1/64 ]
        sub-interfaces:
            100: { mtu: 1500, description: 'a customer' }   # of ours
            200: { state: up }
    eth0: { mtu: 1500 }

# Those that others made.
unmanaged: [ tap* ]
protected: [ eth1 ]
dataplane:
    cpu: { workers: 2 }   # measured
"""


def state_of(text: str) -> State:
    configuration = parse_text(text, "text").configuration
    assert configuration is not None
    return resolve(configuration, assumed_state(configuration)).desired


def changed(before: str, after: str) -> State:
    """Return the state that a text describes once a part of it reads otherwise."""
    assert before in TYPED
    return state_of(TYPED.replace(before, after))


def test_a_file_that_says_what_vpp_has_stays_as_it_is() -> None:
    assert merged_configuration(TYPED, "typed.yaml", state_of(TYPED)) == TYPED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2001:DB8::1/64 ]", "2001:DB8::2/64 ]"),
        ("mtu: 1500, description", "mtu: 1400, description"),
        ("            200: { state: up }\n", ""),
        ("            200: { state: up }\n", "            200: { state: up }\n            300: { mtu: 1500 }\n"),
        ("    eth0: { mtu: 1500 }\n", "    eth0: { mtu: 1500, state: down }\n"),
        ("    eth0: { mtu: 1500 }\n", "    eth0: { mtu: 1500 }\nloopbacks: { loop0: { lcp: loop0 } }\n"),
    ],
)
def test_only_what_differs_is_changed(before: str, after: str) -> None:
    observed = changed(before, after)
    text = merged_configuration(TYPED, "typed.yaml", observed)
    assert state_of(text) == observed
    for kept in ("# The router at the ring.\n", "x-mtu: &mtu 9000\n", "# the uplink", "mtu: *mtu\n", "# measured"):
        assert kept in text
    assert "state: up     # as it is by default\n" in text
    assert re.search("^    eth1:.*^    eth0:", text, re.DOTALL | re.MULTILINE), "the order stays"
    gone = set(TYPED.splitlines()) - set(text.splitlines())
    assert len(gone) <= 2, gone


def test_a_file_with_nothing_but_comments_gets_everything() -> None:
    observed = state_of(TYPED)
    text = merged_configuration("# Nothing yet.\n", "empty.yaml", observed)
    assert state_of(text).interfaces == observed.interfaces


def test_what_the_file_leaves_alone_is_not_put_into_it() -> None:
    text = "interfaces: { eth0: {} }\nunmanaged: [ eth1, loop0 ]\n"
    observed = state_of("interfaces: { eth0: { mtu: 1400 }, eth1: { mtu: 1300 } }\nloopbacks: { loop0: {} }\n")
    assert merged_configuration(text, "typed.yaml", observed) == text.replace("{ eth0: {} }", "{eth0: { mtu: 1400 }}")


def test_a_file_that_cannot_be_resolved_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"typed\.yaml is not valid"):
        merged_configuration("interfaces: { eth0: { mtu: 1 } }\n", "typed.yaml", state_of(TYPED))
    with pytest.raises(PlanRefusedError, match=r"typed\.yaml does not go with this VPP"):
        merged_configuration("interfaces: { eth7: {} }\n", "typed.yaml", state_of(TYPED))


def test_the_dataplane_changes_only_where_a_configuration_speaks_of_it() -> None:
    observed = state_of(TYPED)
    assert "workers: 2" in merged_configuration(TYPED, "typed.yaml", observed)
    wanted = write(observed) + "dataplane:\n  cpu: { workers: 4 }\n"
    text = merged_configuration(TYPED, "typed.yaml", observed, wanted)
    assert text == TYPED.replace("workers: 2", "workers: 4")


def test_what_changed_on_a_network_is_merged_into_its_file() -> None:
    refused = 0
    for number in range(4 * TIMES):
        before, configuration = numbered_edit(number)
        observed = resolve(configuration, before).desired
        try:
            changed = merged_configuration("# The file of this network.\n" + write(before), "network.yaml", observed)
        except PlanRefusedError as error:
            assert "does not go with this VPP" in error.message
            refused += 1
            continue
        after = parse_text(changed, "network.yaml").configuration
        assert after is not None
        assert list(diff(observed, resolve(after, observed).desired)) == []
        assert changed.startswith("# The file of this network.\n")
    assert refused < 2 * TIMES
