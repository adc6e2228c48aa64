"""Judges a startup.conf on all levels, for one release of VPP or for several."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from vppcfg.common.numbers import KIB, MIB, size_text
from vppcfg.common.release import RELEASES, Release
from vppcfg.model.lcp import KEEPS_UNICAST, LOSES_UNICAST
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.cpu_words import WORKERS
from vppcfg.startup.conf.placeholder import placeholders
from vppcfg.startup.conf.plugin_review import is_loaded, plugin_problems, unknown_plugins
from vppcfg.startup.conf.reader import UNCLOSED, closed, is_too_large, read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import Conf
from vppcfg.startup.lint.consistency import consistency_problems
from vppcfg.startup.lint.demand import entry_at, size_bytes
from vppcfg.startup.lint.finding import ConfFinding, ConfJudgement, ConfSurroundings, Level, notice, warning
from vppcfg.startup.lint.machine import machine_problems

_ORDINARY_PAGE, _USUAL_HUGEPAGE = 4 * KIB, 2 * MIB
_MAIN_CORE_PINNED = Release(24, 10)
_NO_ECHO = Release(24, 2)
"""The first release whose lcp-sync does not send Linux what linux-nl has just reported (2c9b128e1b3)."""


def unknown_default_problems(conf: Conf) -> Iterator[Problem]:
    """Yield what hangs on a default of the machine, where no machine is known."""
    entry = entry_at(conf, "buffers", "page-size")
    page, is_set = size_bytes(entry) or 0, entry_at(conf, "memory", "default-hugepage-size") is not None
    if entry is not None and page > _ORDINARY_PAGE and page != _USUAL_HUGEPAGE and not is_set:
        asked = size_text(page)
        text = f"VPP stops at buffers on pages of {asked} where the kernel's default hugepages have another size"
        yield notice("conf-hugepages", entry, f"{text}; write `page-size default-hugepage`")


def default_problems(conf: Conf, release: Release, installed: Collection[str] | None) -> Iterator[Problem]:
    """Yield what an absent key or stanza means, and a surprise that two keys together make."""

    def has(plugin: str) -> bool:
        return is_loaded(conf, plugin, release) and (installed is None or plugin in installed)

    dpdk, has_dpdk = conf.stanza("dpdk"), has("dpdk")
    children = (dpdk.children if dpdk else None) or ()
    if has_dpdk and not {"dev", "no-pci", "vdev"} & {child.name for child in children}:
        text = "no device is named in `dpdk`: VPP takes every network card that is down in Linux and that it can drive"
        yield notice("conf-takes-all", dpdk, text)
    if entry_at(conf, "memory", "main-heap-size") is None and conf.stanza("heapsize") is None:
        yield notice("conf-default-heap", conf.stanza("memory"), "no main-heap-size is given: the main heap has 1G")
    if entry_at(conf, "cpu", "main-core") is None and release >= _MAIN_CORE_PINNED:
        text = (
            f"no main-core is given: VPP {_MAIN_CORE_PINNED} and newer pin the main thread to the CPU that it began on"
        )
        yield notice("conf-main-core", conf.stanza("cpu"), text)
    cpu = conf.stanza("cpu")
    if not set(WORKERS) & {child.name for child in (cpu.children if cpu is not None else None) or ()}:
        text = "no worker is given: the main thread forwards, and API, command line and routes wait for packets"
        yield notice("conf-no-workers", cpu, text)
    unix = conf.stanza("unix")
    if entry_at(conf, "unix", "cli-listen") is None and entry_at(conf, "unix", "interactive") is None:
        yield notice(
            "conf-no-cli", unix, "no cli-listen is given: VPP opens no socket for vppctl, which cannot reach it"
        )
    if entry_at(conf, "unix", "nodaemon") is None and entry_at(conf, "unix", "interactive") is None:
        text = "no nodaemon is given: VPP goes to the background, and a service manager may take it for ended"
        yield notice("conf-daemon", unix, text)
    linux_cp = conf.stanza("linux-cp") or conf.stanza("plugins")
    if linux_cp is not None and LOSES_UNICAST <= release < KEEPS_UNICAST and has("linux_cp"):
        text = (
            f"VPP {LOSES_UNICAST} drops what Linux sends to single hosts by an LCP, such as BGP; take another release"
        )
        yield warning("conf-lcp-unicast", linux_cp, text)
    script = entry_at(conf, "unix", "exec") or entry_at(conf, "unix", "startup-config")
    is_echoed = release < _NO_ECHO and entry_at(conf, "linux-cp", "lcp-sync") is not None and has("linux_nl")
    if script is not None and is_echoed:
        text = (
            f"with lcp-sync and linux_nl, VPP before {_NO_ECHO} sends back to Linux what it hears from there: an LCP "
            f"that this script creates and sets up at once flaps for ever and loses its addresses"
        )
        yield notice("conf-lcp-loop", script, text)


_FILES_OF_UNIX = ("exec", "startup-config", "log", "pidfile")
_OWN_PATHS = ("/usr/lib", "/usr/local/lib", "/lib", "/opt/vpp")


def cautions(conf: Conf) -> Iterator[Problem]:
    """Yield settings that work and may surprise."""
    yield from _open_command_line(conf)
    yield from _old_driver(conf)
    yield from _plugin_path(conf)
    yield from _relative_files(conf)


def _open_command_line(conf: Conf) -> Iterator[Problem]:
    """Find a command line on TCP: whoever reaches the port is administrator, VPP asks for no password."""
    entry = entry_at(conf, "unix", "cli-listen")
    place = entry.arguments[0] if entry is not None and entry.arguments else "/"
    if entry is None or place.startswith("/"):
        return
    host = place.rpartition(":")[0]
    who = (
        "every user and program of this machine" if host in ("localhost", "127.0.0.1") else "whoever reaches this port"
    )
    text = f"cli-listen {place} lets {who} configure VPP without a password; write /run/vpp/cli.sock"
    yield warning("conf-open-cli", entry, text)


def _old_driver(conf: Conf) -> Iterator[Problem]:
    entry = entry_at(conf, "dpdk", "uio-driver")
    if entry is not None and entry.arguments[:1] == ("igb_uio",):
        text = "igb_uio is in no kernel and left DPDK's own tree with 20.11; write vfio-pci, or uio_pci_generic"
        yield notice("conf-old-driver", entry, text)


def _plugin_path(conf: Conf) -> Iterator[Problem]:
    entry = entry_at(conf, "plugins", "path") or entry_at(conf, "plugins", "add-path")
    folders = entry.arguments[0].split(":") if entry is not None and entry.arguments else []
    odd = next((folder for folder in folders if not folder.startswith(_OWN_PATHS)), None)
    if entry is not None and odd is not None:
        yield notice(
            "conf-plugin-path", entry, f"VPP loads plugins of {odd}; whoever may write there runs code as root"
        )


def _relative_files(conf: Conf) -> Iterator[Problem]:
    """Find files that VPP looks for where it happens to be started; it leaves `~` as it is (vlib/unix/main.c)."""
    for key in _FILES_OF_UNIX:
        entry = entry_at(conf, "unix", key)
        name = entry.arguments[0] if entry is not None and entry.arguments else "/"
        if entry is None or name.startswith("/"):
            continue
        if name.startswith("~"):
            text = (
                f"VPP does not put a home directory in the place of `~`, and finds no file {name}; write the whole path"
            )
            yield warning("conf-relative-path", entry, text)
        else:
            text = f"VPP looks for {name} in the folder that it is started in, / for a service; write the whole path"
            yield notice("conf-relative-path", entry, text)


_STARTS_NEVERTHELESS = frozenset({"conf-passed-over"})


def judge(text: str, releases: Sequence[Release] = RELEASES, known: ConfSurroundings | None = None) -> ConfJudgement:
    """Return all that is wrong with a file for any of the releases; what is the same for several stands there once."""
    known = known or ConfSurroundings()
    text, unfilled = (text, ()) if is_too_large(text) else placeholders(text)
    lines = {one.line for one in unfilled}
    found: dict[tuple[Problem, Level], list[Release]] = {(one, Level.FORM): list(releases) for one in unfilled}
    is_read = False
    stopped = []
    for release in releases:
        conf, problems = read_conf(text, release)
        is_read |= not problems
        pairs = [(one, Level.FORM) for one in problems] if problems else [*_of_tree(conf, release, known)]
        pairs = [pair for pair in pairs if pair[0].line not in lines]
        if unfilled or _stops(text, release, known, problems, pairs):
            stopped.append(release)
        for pair in pairs:
            about = found.setdefault(pair, [])
            if release not in about:
                about.append(release)
    findings = [ConfFinding(problem=one, level=level, releases=tuple(about)) for (one, level), about in found.items()]
    return ConfJudgement(
        findings=tuple(sorted((_worded(one, releases) for one in findings), key=_place)),
        levels=_levels(known) if is_read else (Level.FORM,),
        releases=tuple(releases),
        stopped=tuple(stopped),
    )


def _stops(
    text: str,
    release: Release,
    known: ConfSurroundings,
    problems: Sequence[Problem],
    pairs: Sequence[tuple[Problem, Level]],
) -> bool:
    """Return whether VPP of a release stops at a file.

    VPP reads braces that are never closed as if they were at the end; what they swallow stops it, or is passed over.
    """
    if problems and problems[0].rule == UNCLOSED:
        return bool(judge(closed(text, release), (release,), known).stopped)
    return any(one.severity is Severity.ERROR and one.rule not in _STARTS_NEVERTHELESS for one, _ in pairs)


def _levels(known: ConfSurroundings) -> tuple[Level, ...]:
    return tuple(level for level in Level if level is not Level.MACHINE or known.host is not None)


def _of_tree(conf: Conf, release: Release, known: ConfSurroundings) -> Iterator[tuple[Problem, Level]]:
    odd = unknown_plugins(conf, known.installed)
    for one in review(conf, release, known.allowed, odd):
        yield one, Level.FORM if one.rule == "conf-syntax" else Level.WORDS
    for one in plugin_problems(conf, release, known.installed):
        yield one, Level.WORDS
    for one in consistency_problems(conf, release):
        yield one, Level.SENSE
    if known.host is not None:
        for one in machine_problems(conf, release, known.host, known.folders):
            yield one, Level.MACHINE
    for one in unknown_default_problems(conf) if known.host is None else ():
        yield one, Level.SENSE
    for one in cautions(conf):
        yield one, Level.HABITS
    for one in default_problems(conf, release, known.installed):
        yield one, Level.HABITS


def _worded(finding: ConfFinding, asked: Sequence[Release]) -> ConfFinding:
    """Return a finding with its releases, when it is not about all that were asked for."""
    if len(finding.releases) == len(asked):
        return finding
    span = span_text(finding.releases, asked)
    return replace(finding, problem=replace(finding.problem, text=f"{finding.problem.text} (VPP {span})"))


def span_text(releases: Sequence[Release], asked: Sequence[Release]) -> str:
    """Return some of the releases that were asked for in words: until 24.10, from 25.02 on, 24.10 to 25.10."""
    first, last = releases[0], releases[-1]
    if len(releases) != asked.index(last) - asked.index(first) + 1:
        return ", ".join(str(release) for release in releases)
    if first == asked[0]:
        return f"until {last}"
    if last == asked[-1]:
        return f"from {first} on"
    return str(first) if first == last else f"{first} to {last}"


def _place(finding: ConfFinding) -> tuple[int, int, str, str]:
    return finding.problem.line, finding.problem.column, finding.problem.rule, finding.problem.text
