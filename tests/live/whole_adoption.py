"""Judges an adoption as a whole: the file and the rest, brought onto a fresh real VPP, against the script itself."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.real_vpp import RealVpp, release
from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.report import LineOutcome
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.adopt.trial import EndState, end_with
from vppcfg.app.target import Target
from vppcfg.cli.main import main
from vppcfg.common.release import release_of
from vppcfg.errors import VppcfgError
from vppcfg.record import record
from vppcfg.vpp.hidden import in_file_form

_NETNS = re.compile(r"\bnetns (\S+)|\bhost-ns (\S+)")
_HOST_DEVICE = re.compile(r"\bhost-interface name (\S+)")
_BRIDGE = re.compile(r"\bhost-bridge (\S+)")
_MADE_UP = re.compile(r"\b02:fe(:[0-9a-f]{2}){4}\b")
_OF_PAIR = re.compile(r"\s+(?:tap|tun)4\d{3} ")
"""TAPs of LCP pairs, which VPP numbers in the order in which the pairs are made."""
_CHOSEN = re.compile(r"set int\S* mtu .*?(\S+)$")


@record
class Verdict:
    """What differs between the script and its adoption, each on a VPP of its own."""

    taken_wrong: tuple[str, ...]
    """Lines that VPP takes or refuses otherwise than the report says."""
    failed: tuple[str, ...]
    """Steps of the way that the head of the rest prescribes which do not end well."""
    differences: tuple[str, ...]
    ran: int
    """Lines that the VPP has taken."""


@contextmanager
def _fresh(text: str, ports: Sequence[str]) -> Iterator[RealVpp]:
    vpp = RealVpp(makes_vlan_devices=True)
    vpp.start(ports)
    try:
        for name in {a or b for a, b in _NETNS.findall(text)}:
            vpp.add_netns(name)
        for name in set(_HOST_DEVICE.findall(text)) - {"v1", "v2", "v3"}:
            with suppress(RuntimeError):
                vpp.add_host_device(name)
        for name in set(_BRIDGE.findall(text)):
            vpp.ip("link", "add", name, "type", "bridge")
        yield vpp
    finally:
        vpp.stop()


def _target(vpp: RealVpp) -> Target:
    return Target(api_socket=str(vpp.socket_path), json_dir=str(vpp.api_dir))


def end_on(vpp: RealVpp, chosen: Sequence[str]) -> EndState:
    live, _ = _target(vpp).connect_apart()
    with closing(live):
        found = in_file_form(live._connection, live.with_unlisted(live.observe()))
        state = found.state
        tables = {"ipv4-VRF:0", "ipv6-VRF:0", *state.vrfs, *state.bridges}
        attached = [*live.standalone(state), *live.unmanaged({*state.interfaces, *tables}, state)]
        attached = [each for each in attached if (each.kind, each.name) not in found.others]
        return end_with(state, attached, live.routes_of_prompt(state), chosen)


def queues_on(vpp: RealVpp) -> set[str]:
    """Return each receive queue with its thread and mode, which the API reports of ports alone."""
    thread, found = "", set()
    for line in vpp.cli("show interface rx-placement")[1].splitlines():
        thread = line if line.startswith("Thread") else thread
        found |= {f"{thread} {line.strip()}"} if " queue " in line and not _OF_PAIR.match(line) else set()
    return found


def adopted(text: str, name: str = "script.vpp") -> Adoption:
    setup = ReplaySetup(release=release_of(release()))
    return adopt_scripts([Script(name=name, text=text)], setup, lambda *_: None)


def judge(text: str) -> Verdict:
    """Return how far an adoption of a script is right on the installed VPP."""
    adoption = adopted(text)
    report = adoption.report
    ports = [port.name for port in report.ports]
    chosen = [found[1] for line in report.lines if (found := _CHOSEN.match(line.text))]
    wrong, ran = [], 0
    with _fresh(text, ports) as vpp:
        for line in report.lines:
            is_left_out = line.outcome is LineOutcome.NEVER_RAN or line.why.endswith("and is left out")
            if is_left_out or line.command in {"define", "undefine", "exec", "ping"}:
                continue
            code, printed = vpp.cli(line.text)
            ran += not code
            is_refused = line.rule in {"adopt-refused", "adopt-ambiguous", "adopt-not-exact"}
            if bool(code) != is_refused:
                answer = " ".join(printed.split())
                wrong.append(f"{line.number} {line.text}: {line.outcome.value} ({line.why}), VPP {code} {answer}")
        goal, queues = end_on(vpp, chosen), queues_on(vpp)
    failed: list[str] = []
    with _fresh(text, ports) as vpp, TemporaryDirectory() as name:
        bring(vpp, adoption, text, Path(name), failed)
        end, queues_now = end_on(vpp, chosen), queues_on(vpp)
    differences = [
        f"{' '.join(each)}: {why}"
        for each in goal.differences(end)
        if (why := _difference(end.values.get(each), goal.values.get(each)))
    ]
    differences += [f"queues: {queues_now} instead of {queues}"] if queues_now != queues else []
    return Verdict(taken_wrong=tuple(wrong), failed=tuple(failed), differences=tuple(differences), ran=ran)


def _difference(one: object, other: object) -> str:
    """Return in which fields two values differ, '' where they do not but for MAC addresses that VPP makes up."""
    if not is_dataclass(one) or type(one) is not type(other):
        return "" if _parts(one) == _parts(other) else f"{one} instead of {other}"
    pairs = [(each.name, getattr(one, each.name), getattr(other, each.name)) for each in fields(one)]
    pairs = [each for each in pairs if not each[0].endswith("x_placement")]  # of what the file makes it is not read
    return "; ".join(f"{name} {mine} instead of {its}" for name, mine, its in pairs if _parts(mine) != _parts(its))


def _parts(value: object) -> list[str]:
    """Return what a value is made of, without the MAC addresses that VPP makes up."""
    return sorted(re.split(r"[\s,]+|(?<=[(\[{])|(?=[)\]}])", _MADE_UP.sub("a MAC", repr(value))))


def _with_keys(text: str, script: str, folder: Path) -> str:
    """Return a file that names files with the private keys of the script."""
    keys = iter(re.findall(r"private-key (\S+)", script))

    def written(match: re.Match[str]) -> str:
        path = folder / f"key{match.start()}"
        path.touch(mode=0o600)
        path.write_text(next(keys, "") + "\n")
        return f"{match[1]}{path}"

    return re.sub(r"(private-key-file: )(\S+)", written, text)


def bring(vpp: RealVpp, adoption: Adoption, script: str, folder: Path, failed: list[str]) -> None:
    """Bring a VPP to an adoption, as the head of its rest prescribes it."""
    file, words = folder / "adopted.yaml", ["-q", "-a", str(vpp.socket_path)]
    file.write_text(_with_keys(adoption.text, script, folder))
    first, last = folder / "first.vpp", folder / "last.vpp"
    first.write_text(adoption.rest.first_text)
    last.write_text(adoption.rest.last_text)
    if adoption.rest.first:
        code, printed = vpp.cli(f"exec {first}")
        failed += [f"exec: {printed.strip()}"] if code else []
    commit = [*words, "--state-dir", str(folder / "state"), "-c", str(file)]
    try:
        code = main(["apply", "--yes", *commit])
        failed += [f"apply ends with {code}"] if code else []
        if adoption.rest.last:
            code = main(["rest", *words, str(last)])
            failed += [f"rest ends with {code}"] if code else []
        code = main(["plan", "--detailed-exitcode", *commit])
        failed += [f"plan ends with {code} after all"] if code else []
    except VppcfgError as error:
        failed.append(error.message)
