"""The readers of files: sound texts of each, what its format means something by, and the command that reads it."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from tests.fuzz.harness import run_command
from tests.hosts.trees import MACHINES, grow, host_named
from tests.unit.loadtest.test_report import EVERYTHING
from vppcfg.common.bounds import CAPTURE_BYTES, CONFIG_BYTES, RESULT_BYTES
from vppcfg.common.report_archive import CONTENTS, FORMAT_VERSION, KIND, STARTUP_CONF, STATE, pack
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.explain import explanations
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.loadtest.document import text_of
from vppcfg.model.host import host_document
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.model.state import State
from vppcfg.plan.state_document import document_of
from vppcfg.routing_daemons.against_file import warnings_about
from vppcfg.routing_daemons.bird import impacts_between
from vppcfg.routing_daemons.bird_text import IncludeError, with_includes
from vppcfg.routing_daemons.frr import impacts_of
from vppcfg.routing_daemons.text_file import read_text
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.signed_document import place_of, sealed

ROOT = Path(__file__).parents[1]
DOCS = ROOT.parent / "docs"
_CONFIG = "interfaces: { eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] } }\n"
_OF_ALL = "interfaces: { eth0: { mtu: 1500 } }\nunmanaged: [ eth9 ]\n"

Texts = Callable[[], Sequence[bytes]]


@dataclass(frozen=True)
class Reader:
    """What reads one kind of file."""

    texts: Texts
    """Sound ones."""
    run: Callable[[Path, bytes], str]
    """Reads one in a folder of its own, and returns how that ended."""
    tokens: tuple[bytes, ...]
    most_bytes: int
    """A file of so many bytes is refused without a look into it, or just read."""
    is_json: bool = False


def _files(*patterns: str) -> list[bytes]:
    return [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


@cache
def _configurations() -> list[bytes]:
    texts = [text for entry in explanations().values() for text in (entry.breaks, entry.mends) if text]
    examples = [path.read_bytes() for path in sorted(DOCS.glob("examples/*.yaml"))]
    return [*(text.encode() for text in texts), *examples, *_files("golden/*/config.yaml", "kinds/*.yaml")]


@cache
def _startup_confs() -> list[bytes]:
    return _files("golden_startup/*/*.conf", "golden_startup_check/*.conf", "foreign/startup/*.conf")


@cache
def _scripts() -> list[bytes]:
    found = _files("golden_adopt/*/script.vpp", "foreign/scripts/*", "golden_upgrade/*/*.vpp")
    return [*found, (DOCS / "examples/bootstrap.vpp").read_bytes()]


@cache
def _shown() -> list[bytes]:
    typed = [
        b"vpp# show " + path.stem.encode() + b"\n" + path.read_bytes()
        for path in sorted((ROOT / "tune_cases").glob("*/*.txt"))
    ]
    return [*typed, *_files("tune_corpus/*.txt")]


@cache
def _states() -> list[bytes]:
    documents = []
    for text in _configurations():
        if (configuration := parse_text(text, "sound").configuration) is not None:
            documents.append(document_of(resolve(configuration, assumed_state(configuration)).desired))
    return [json.dumps(document).encode() for document in documents[::7]]


def _hosts() -> list[bytes]:
    return [json.dumps(host_document(host_named(machine))).encode() for machine in MACHINES]


_HOME = tempfile.TemporaryDirectory(prefix="vppcfg-fuzz-")
_SOCKET = f"{_HOME.name}/api.sock"
"""The journal's files belong to the VPP behind it."""


@contextmanager
def _vpp() -> Iterator[None]:
    """Have a VPP behind the socket."""
    Path(_SOCKET).unlink(missing_ok=True)
    with SimulatorServer(SimulatedVpp(ports=[PhysicalPort(name="eth0")]), _SOCKET):
        yield


@cache
def _journal() -> dict[str, bytes]:
    """Return the sealed files of a journal with one change, and a saved plan as `saved`."""
    folder = Path(_HOME.name)
    config, state = folder / "router.yaml", folder / "state"
    config.write_text(_CONFIG)
    options = ["-c", str(config), "-a", _SOCKET]
    with _vpp():
        run_command(["plan", *options, "--save", str(folder / "saved")])
        run_command(["apply", *options, "--yes", "--state-dir", str(state)])
    kept = [path for path in state.rglob("*") if path.is_file() and "reserve" not in path.name]
    files = {str(path.relative_to(state)): path.read_bytes() for path in kept}
    return files | {"saved": (folder / "saved").read_bytes()}


def _contents(name: str) -> list[bytes]:
    return [data.partition(b"\n")[2] for path, data in _journal().items() if Path(path).name == name]


def _command(words: Sequence[str], name: str, folder: Path, data: bytes, *, others: Mapping[str, str] = {}) -> str:
    """Write a file, run a command in which FOLDER is its folder, and return how it ended."""
    for other, text in others.items():
        (folder / other).write_text(text)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    code, _ = run_command([word.replace("FOLDER", str(folder)) for word in words])
    return code.name


def _sealed_again(name: str, body: bytes) -> bytes:
    former = _journal()[name]
    seal = json.loads(former.partition(b"\n")[0])
    whole = sealed(seal["vppcfg"], seal["format_version"], {}, place=place_of(former))
    head = json.loads(whole.partition(b"\n")[0])
    return json.dumps({**head, "sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n" + body


def _entry(name: str, words: Sequence[str], folder: Path, body: bytes) -> str:
    """Put another content into a file of a journal, and run a command on it."""
    for path, data in _journal().items():
        target = folder / "state" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_sealed_again(path, body) if target.name == name else data)
    with _vpp():
        code, _ = run_command([*words, "--state-dir", str(folder / "state"), "-a", _SOCKET])
    return code.name


def _saved(folder: Path, body: bytes) -> str:
    (folder / "saved").write_bytes(_sealed_again("saved", body))
    with _vpp():
        words = ["apply", str(folder / "saved"), "--yes", "--state-dir", str(folder / "state"), "-a", _SOCKET]
        code, _ = run_command(words)
    return code.name


def _routing(kind: DaemonKind, folder: Path, data: bytes) -> str:
    """Read a configuration of a daemon as `plan` does, but for what the daemon itself is asked."""
    path = folder / "daemon.conf"
    path.write_bytes(data)
    (folder / "other.conf").write_text("protocol device { }\n")
    try:
        text = with_includes(str(path)) if kind is DaemonKind.BIRD else read_text(str(path))[0]
    except (OSError, IncludeError):
        return "REFUSED"
    warnings_about(RoutingFile(kind=kind, path=str(path), startup=str(path)), text, State())
    if kind is DaemonKind.BIRD:
        impacts_between(text, _BIRD.decode())
        impacts_between(_BIRD.decode(), text)
    else:
        impacts_of(("+", line) for line in text.splitlines())
    return "READ"


_BIRD = b"""\
router id 10.0.0.1; # a comment; with a semicolon
/* another; { */
include "other.conf";
define OWN = 65001;
filter ok { if net ~ [ 10.0.0.0/8+ ] then accept; reject; }
template bgp base { local as OWN; hold time 30; }
protocol device { }
protocol bgp up1 from base { neighbor 192.0.2.2 as 65002; ipv4 { import filter ok; }; }
protocol static s { ipv4; route 10.0.0.0/8 via 192.0.2.7%e0; }
protocol bfd { interface "e0" { }; }
protocol ospf v2 core { area 0 { interface "e0" { tx length 1500; }; }; }
"""
_FRR = b"""\
hostname router
interface e0
 ip ospf area 0
 ipv6 nd mtu 1500
exit
ip route 10.0.0.0/8 192.0.2.7 e0
router bgp 65001
 bgp router-id 10.0.0.1
 neighbor up peer-group
 neighbor up remote-as 65002
 neighbor 192.0.2.2 peer-group up
 neighbor 192.0.2.3 remote-as 65003
 address-family ipv4 unicast
  network 10.0.0.0/8
 exit-address-family
exit
route-map out permit 10
"""


def _archive(folder: Path, member: str, data: bytes) -> bytes:
    contents = json.dumps({"kind": KIND, "format_version": FORMAT_VERSION}).encode()
    members = {CONTENTS: contents, STATE: _states()[0], STARTUP_CONF: _startup_confs()[0], member: data}
    return pack("vppcfg-report", members, 0)


def _of_archive(member: str, words: Sequence[str], folder: Path, data: bytes) -> str:
    return _command(words, "report.tar.gz", folder, _archive(folder, member, data), others={"router.yaml": _OF_ALL})


@cache
def _archives() -> list[bytes]:
    shown = _shown()
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for number, text in enumerate(shown[:4]):
            info = tarfile.TarInfo(f"capture/{number}.txt")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return [_archive(Path(), "capture/x.txt", shown[0]), target.getvalue()]


def _capture(name: str, folder: Path, data: bytes) -> str:
    """Put another file into a capture, and have it judged."""
    sound = ROOT / "tune_cases/vpp2610_down"
    target = folder / "capture"
    for path in sorted(sound.rglob("*")):
        if path.is_file():
            place = target / path.relative_to(sound)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data if path.name == name else path.read_bytes())
    code, _ = run_command(["tune", "--from", str(target)])
    return code.name


def _rest(folder: Path, data: bytes) -> str:
    with _vpp():
        return _command(["rest", "FOLDER/rest.vpp", "-a", _SOCKET], "rest.vpp", folder, data)


def _merged(folder: Path, data: bytes) -> str:
    """Have the section `dataplane` written into a startup.conf that is there."""
    root = grow("two_sockets", folder / "machine")
    words = ["startup", "-c", "FOLDER/router.yaml", "--root", str(root), "--diff"]
    config = "dataplane: { cpu: { workers: 2 } }\n" + _CONFIG
    return _command(words, str(root / "etc/vpp/startup.conf"), folder, data, others={"router.yaml": config})


def _command_reader(words: str, name: str, others: Mapping[str, str] = {}) -> Callable[[Path, bytes], str]:
    return partial(_command, words.split(), name, others=others)


_YAML_TOKENS = (
    *(b"!!binary ", b"!!set ", b"!!omap ", b"!!python/tuple ", b"!x ", b"&a ", b"*a", b"<<: ", b"? ", b": ", b"- "),
    *(b"[", b"]", b"{", b"}", b"'", b'"', b"|\n", b">\n", b"#", b"%YAML 1.1\n", b"---\n", b"...\n", b"~", b"null"),
    *(b"[" * 70, b"? " * 70, b"1" + b":30" * 300, b"9" * 300, b"0x" + b"f" * 99, b".nan", b"-.inf", b"1e400", b"0777"),
    *(b"2026-01-01", b"\t", b"\n  ", b"\x00", b"\xff\xfe", b"\xc2\x9b", b"\xe2\x80\xae", b"\xf0\x9f\x99\x82", b"true"),
    *(b"interfaces:\n", b"sub-interfaces: ", b"lcp: ", b"terms: ", b"unmanaged: ", b"addresses: ", b"workers: "),
    *(b"-" * 99, b"a: ", b"- a\n", b"a: b\n", b"\\x41", b",", b"{a: "),
)
_CONF_TOKENS = (
    *(
        b"{",
        b"}",
        b" { ",
        b"{ }\n",
        b"#",
        b"# x\n",
        b"\n",
        b"\x00",
        b"\xff",
        b"dpdk {",
        b"dev ",
        b"default",
        b"'",
        b"$",
    ),
    *(
        b"\\",
        b"<",
        b"<a",
        b"{{",
        b"{%",
        b"${",
        b"$(",
        b"{A",
        b"@A",
        b"%A",
        b"__A",
        b"$$",
        b"0000:",
        b"a ",
        b"unix { a }\n",
    ),
    *(
        b"plugin a { enable }\n",
        b"plugins { plugin a { ",
        b"cpu { workers ",
        b"exec ",
        b"startup-config ",
        b"1-",
        b"0,",
    ),
    *(b"9" * 5000, b"-1", b"99999999999g", b"0x", b"\r", b"  "),
)
_SCRIPT_TOKENS = (
    *(b"create ", b"set interface ", b"loopback ", b"ip route add ", b"10.0.0.0/8", b"via ", b"acl-plugin acl add "),
    *(
        b"permit ",
        b"permit,",
        b"deny ",
        b"src ",
        b"0.0.0.0/0",
        b"dst ",
        b"exec ",
        b"comment { ",
        b"uncomment ",
        b"{",
        b"}",
    ),
    *(
        b"\\\n",
        b"#",
        b"!",
        b"\n",
        b"\x00",
        b"\xff",
        b"9" * 5000,
        b"-1",
        b"eth0 ",
        b"$(x)",
        b"define x ",
        b'"',
        b"::/0 ",
        b",",
    ),
)
_SHOWN_TOKENS = (
    *(
        b"vpp# show runtime\n",
        b"vpp# show errors\n",
        b"vpp# show hardware\n",
        b"show buffers\n",
        b"nan",
        b"inf",
        b"DBGvpp# ",
    ),
    *(
        b"1e400",
        b"-1",
        b"9" * 400,
        b"0",
        b"%",
        b"Thread 1 vpp_wk_0 (lcore 1)\n",
        b"---------------\n",
        b" ",
        b"0 ",
        b"a ",
    ),
    *(
        b"\x1b[2J",
        b"\xff",
        b"\n",
        b"\r\n",
        b"\b",
        b"vpp# ",
        b"|",
        b"\t",
        b"> ",
        b"eth0 1 up\n",
        b"    rx packets 1\n",
        b"(",
        b"[",
    ),
)
_JSON_TOKENS = (
    *(b"[", b"]", b"{", b"}", b"[],", b"{},", b'{"a":', b'"a":0,', b"0,", b"1e400", b"-1e400", b"NaN", b"Infinity"),
    *(
        b"9" * 5000,
        b"-1",
        b'"',
        b"\\",
        b'"\\ud800"',
        b"null",
        b"true",
        b'""',
        b"1e308",
        b"\x00",
        b"\xff",
        b"[0,",
        b"18446744073709551616",
    ),
)
_BIRD_TOKENS = (
    *(
        b"{",
        b"}",
        b";",
        b"/*",
        b"*/",
        b"#",
        b'"',
        b"'",
        b'include "other.conf";\n',
        b'include "*.conf";\n',
        b"protocol bgp ",
    ),
    *(b'include "daemon.conf";\n', b"template bgp a from b { }\n", b"protocol bgp p from a;\n", b"via ", b"neighbor "),
    *(
        b"interface ",
        b'interface "e*"',
        b"tx length ",
        b"9" * 5000,
        b"link mtu ",
        b"\n",
        b" ",
        b"\x00",
        b"\xff",
        b"from ",
        b"as ",
    ),
    *(b"192.0.2.2 ", b"define a = 1;\n", b"[", b"\xc2\xb2"),
)
_FRR_TOKENS = (
    *(
        b"interface\n",
        b"interface e0\n",
        b" ip ospf area 0\n",
        b" ipv6 nd mtu ",
        b"9" * 5000,
        b"ip route ",
        b"10.0.0.0/8 ",
    ),
    *(
        b"192.0.2.2 ",
        b"router bgp 1\n",
        b"router bgp ",
        b" neighbor ",
        b"remote-as ",
        b"remote-as\n",
        b"peer-group ",
        b" ",
        b"\n",
    ),
    *(
        b" neighbor a peer-group a\n",
        b"exit\n",
        b"!\n",
        b"\x00",
        b"\xff",
        b"no ",
        b"router ospf\n",
        b"isis\n",
        b" lsp-mtu ",
        b"\xc2\xb2",
    ),
)
_TAR_TOKENS = (
    b"\x1f\x8b",
    b"\0" * 512,
    b"ustar",
    b"0",
    b"7777777777",
    b"../",
    b"/",
    b"\x80",
    b"\xff" * 8,
    b"L",
    b"x",
    b"5",
)

_UPGRADE = "upgrade --from 24.10 --to 26.10 -c FOLDER/router.yaml --root FOLDER"
_SOUND = {"router.yaml": _CONFIG}
_LIMIT = CONFIG_BYTES


def _json(texts: Texts, run: Callable[[Path, bytes], str], most_bytes: int = _LIMIT) -> Reader:
    return Reader(texts=texts, run=run, tokens=_JSON_TOKENS, most_bytes=most_bytes, is_json=True)


def _of_captures(name: str) -> Texts:
    return lambda: _files(f"tune_cases/*/*/{name}", f"tune_cases/*/{name}")


READERS: Mapping[str, Reader] = {
    "check": Reader(
        _configurations, _command_reader("check -c FOLDER/router.yaml", "router.yaml"), _YAML_TOKENS, _LIMIT
    ),
    "plan": Reader(
        _configurations, _command_reader("plan --novpp -c FOLDER/router.yaml", "router.yaml"), _YAML_TOKENS, _LIMIT
    ),
    "startup-check": Reader(
        _startup_confs, _command_reader("startup check FOLDER/startup.conf", "startup.conf"), _CONF_TOKENS, _LIMIT
    ),
    "startup-merge": Reader(_startup_confs, _merged, _CONF_TOKENS, _LIMIT),
    "upgrade-startup": Reader(
        _startup_confs,
        _command_reader(f"{_UPGRADE} --startup FOLDER/startup.conf", "startup.conf", _SOUND),
        _CONF_TOKENS,
        _LIMIT,
    ),
    "upgrade-script": Reader(
        _scripts, _command_reader(f"{_UPGRADE} --script FOLDER/boot.vpp", "boot.vpp", _SOUND), _SCRIPT_TOKENS, _LIMIT
    ),
    "adopt-script": Reader(
        _scripts,
        _command_reader("adopt --past-errors --from FOLDER/boot.vpp -o FOLDER/out.yaml", "boot.vpp"),
        _SCRIPT_TOKENS,
        _LIMIT,
    ),
    "adopt-startup": Reader(
        _startup_confs,
        _command_reader(
            "adopt --from FOLDER/startup.conf --as startup --root FOLDER -o FOLDER/out.yaml", "startup.conf"
        ),
        _CONF_TOKENS,
        _LIMIT,
    ),
    "rest": Reader(_scripts, _rest, _SCRIPT_TOKENS, _LIMIT),
    "tune-text": Reader(
        _shown, _command_reader("tune --from FOLDER/session.txt", "session.txt"), _SHOWN_TOKENS, CAPTURE_BYTES
    ),
    "tune-stats": _json(_of_captures("stats.json"), partial(_capture, "stats.json"), CAPTURE_BYTES),
    "tune-api": _json(_of_captures("api.json"), partial(_capture, "api.json"), CAPTURE_BYTES),
    "tune-host": _json(_of_captures("host.json"), partial(_capture, "host.json"), CAPTURE_BYTES),
    "tune-capture": _json(_of_captures("capture.json"), partial(_capture, "capture.json"), CAPTURE_BYTES),
    "archive": Reader(
        _archives, _command_reader("tune --from FOLDER/report.tar.gz", "report.tar.gz"), _TAR_TOKENS, CAPTURE_BYTES
    ),
    "archive-state": _json(
        _states,
        partial(_of_archive, STATE, ["plan", "-c", "FOLDER/router.yaml", "--state", "FOLDER/report.tar.gz"]),
        CAPTURE_BYTES,
    ),
    "archive-contents": _json(
        lambda: [json.dumps({"kind": KIND, "format_version": FORMAT_VERSION}).encode()],
        partial(_of_archive, CONTENTS, ["plan", "-c", "FOLDER/router.yaml", "--state", "FOLDER/report.tar.gz"]),
        CAPTURE_BYTES,
    ),
    "archive-startup": Reader(
        _startup_confs,
        partial(_of_archive, STARTUP_CONF, ["adopt", "--from", "FOLDER/report.tar.gz", "-o", "FOLDER/out.yaml"]),
        _CONF_TOKENS,
        CAPTURE_BYTES,
    ),
    "state": _json(
        _states,
        _command_reader("plan -c FOLDER/router.yaml --state FOLDER/state.json", "state.json", {"router.yaml": _OF_ALL}),
    ),
    "host": _json(
        _hosts,
        _command_reader(
            "startup --host FOLDER/host.json -c FOLDER/router.yaml",
            "host.json",
            {
                "router.yaml": "dataplane: { cpu: { workers: 2 } }\n" + _CONFIG,
            },
        ),
    ),
    "host-check": _json(
        _hosts,
        _command_reader(
            "startup check --host FOLDER/host.json FOLDER/startup.conf",
            "host.json",
            {"startup.conf": "unix { nodaemon }\ncpu { main-core 1 corelist-workers 2-5 }\n"},
        ),
    ),
    "result": _json(
        lambda: [text_of(each).encode() for each in EVERYTHING],
        _command_reader("loadtest report FOLDER/result.json -o FOLDER/page.html", "result.json"),
        RESULT_BYTES,
    ),
    "journal-entry": _json(lambda: _contents("entry.json"), partial(_entry, "entry.json", ["history", "-v"])),
    "journal-outcome": _json(lambda: _contents("outcome.json"), partial(_entry, "outcome.json", ["history"])),
    "journal-before": _json(lambda: _contents("before.json"), partial(_entry, "before.json", ["rollback", "--yes"])),
    "journal-roll-back": _json(lambda: _contents("entry.json"), partial(_entry, "entry.json", ["rollback", "--yes"])),
    "saved-plan": _json(lambda: _contents("saved"), _saved),
    "frr": Reader(lambda: [_FRR], partial(_routing, DaemonKind.FRR), _FRR_TOKENS, _LIMIT),
    "bird": Reader(lambda: [_BIRD], partial(_routing, DaemonKind.BIRD), _BIRD_TOKENS, _LIMIT),
}
"""By a short name."""
