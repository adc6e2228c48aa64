"""A real VPP that is asked about the lines of a script counts, but for what depends on its machine."""

from collections.abc import Mapping, Sequence

from tests.unit.adopt.test_replay import outcomes
from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.adopt.second_opinion import AskVpp
from vppcfg.common.release import NEWEST

UP, TAP = "set interface state xe0 up", "create tap id 0 host-if-name vpp0"


def vpp_that_answers(answers: Mapping[str, tuple[bool, str]]) -> AskVpp:
    """Return a VPP that takes whatever has no answer of its own."""

    def ask(lines: Sequence[str], ports: Sequence[str]) -> list[tuple[bool, str]]:
        return [answers.get(line, (True, "")) for line in lines]

    return ask


def adopted(text: str, ask: AskVpp, *, past_errors: bool = False) -> Adoption:
    setup = ReplaySetup(release=NEWEST, past_errors=past_errors)
    return adopt_scripts([Script(name="a.vpp", text=text)], setup, lambda *_: None, ask=ask)


def test_a_line_that_only_the_real_vpp_refuses_ends_the_script() -> None:
    ask = vpp_that_answers({"nat64 plugin enable": (False, "nat64 plugin: no memory")})
    adoption = adopted(f"nat64 plugin enable\n{UP}\n", ask)
    assert outcomes(adoption) == ["fault", "never_ran"]
    assert adoption.report.lines[0].why == "VPP refuses it: no memory"
    assert adoption.report.notices == (
        "a.vpp, line 1: `nat64 plugin enable`: the simulated VPP takes it, the installed one refuses it: "
        "nat64 plugin: no memory; the latter counts",
    )


def test_a_line_that_only_the_simulated_vpp_refuses_is_left_and_the_script_goes_on() -> None:
    line = "create sub-interfaces xe0 5 dot1q any"
    adoption = adopted(f"{UP}\n{line}\nset interface mtu packet 1500 xe0\n", vpp_that_answers({}))
    assert outcomes(adoption) == ["file", "unmanaged", "file"]
    assert adoption.rest.commands == (line,)


def test_what_depends_on_the_machine_is_as_simulated_and_told() -> None:
    ask = vpp_that_answers(
        {
            TAP: (False, "create tap: open '/dev/vhost-net': No such file or directory"),
            "set interface state tap0 up": (False, "set interface state: unknown interface `tap0 up'"),
        }
    )
    adoption = adopted(f"{TAP}\nset interface state tap0 up\n{UP}\n", ask)
    assert outcomes(adoption) == ["file"] * 3
    (notice,) = adoption.report.notices
    assert notice.endswith("the former counts, for this depends on the machine")


def test_a_vpp_that_cannot_be_asked_changes_nothing() -> None:
    assert adopted(f"{UP}\n", lambda *_: []).report.notices == ()


def test_what_reaches_for_devices_is_not_sent() -> None:
    sent: list[str] = []

    def ask(lines: Sequence[str], ports: Sequence[str]) -> list[tuple[bool, str]]:
        sent.extend((*lines, *ports))
        return [(True, "")] * len(lines)

    adopted(f"comment x\nshow version\ncreate interface rdma host-if e0 name r0\n{UP}\n", ask)
    assert sent == [UP, "xe0"]
