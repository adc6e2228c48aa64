"""Reviews the plugins of a startup.conf: those that VPP does not have, and stanzas whose plugin is not loaded."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator

from vppcfg.common.release import Release
from vppcfg.config.plugins import NEEDS_OF_PLUGINS
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.grammar import PLUGIN_OF
from vppcfg.startup.conf.placeholder import FILLER
from vppcfg.startup.conf.plugin_names import SUFFIX, is_in, is_off_by_default, name_in, plugins
from vppcfg.startup.conf.problem_text import most_similar, problem
from vppcfg.startup.conf.tree import Conf, ConfEntry


def lost_plugins(conf: Conf, kept: Container[str], plugins: Container[str]) -> Iterator[Problem]:
    """Yield the stanzas among `kept` whose plugin is not enabled, which stops VPP."""
    for stanza in conf.stanzas:
        plugin = PLUGIN_OF.get(stanza.name)
        if plugin is not None and stanza.name in kept and plugin not in plugins:
            text = f"the stanza {stanza.name} needs the plugin {plugin}, which is not enabled; add it to `plugins`"
            yield problem("conf-plugin", stanza, f"{text}, or remove the stanza")


def unknown_plugins(conf: Conf, installed: Collection[str] | None) -> tuple[str, ...]:
    """Return the plugins that upstream VPP has never had: those installed, else those enabled."""
    if installed is not None:
        return tuple(name for name in sorted(installed) if name not in plugins())
    named = [name for name, is_on in _states(conf).items() if is_on and name not in (*plugins(), "default")]
    return tuple(name for name in named if most_similar(name, tuple(plugins())) is None)


def plugin_problems(conf: Conf, release: Release, installed: Collection[str] | None) -> Iterator[Problem]:
    """Yield plugins that VPP does not have, and stanzas whose plugin is not loaded.

    `installed` are the plugins that are there, None when only the release is known.
    """
    yield from _missing(conf, release, installed)
    yield from _lacking_needs(conf, release, installed)
    for stanza in conf.stanzas:
        plugin = PLUGIN_OF.get(stanza.name)
        if plugin is None or (stanza.key is not None and not stanza.key.is_known_to(release)):
            continue
        if installed is not None and plugin not in installed:
            text = f"the stanza {stanza.name} needs the plugin {plugin}, which is not installed; VPP stops at it"
            yield problem("conf-plugin", stanza, text)
        elif not is_loaded(conf, plugin, release):
            text = f"the stanza {stanza.name} needs the plugin {plugin}, which is not enabled; VPP stops at it"
            yield problem("conf-plugin", stanza, text)


def _lacking_needs(conf: Conf, release: Release, installed: Collection[str] | None) -> Iterator[Problem]:
    """Yield plugins that are loaded while one that they need is not; nothing without a line about plugins."""
    entries = {name_in(entry.arguments[0]): entry for entry in _entries(conf)}

    def runs(name: str) -> bool:
        return is_loaded(conf, name, release) and (installed is None or name in installed)

    for plugin, needed, since in NEEDS_OF_PLUGINS:
        entry = entries.get(needed) or entries.get(plugin) or entries.get("default")
        if release >= since and runs(plugin) and not runs(needed) and entry is not None:
            text = f"VPP loads the plugin {plugin}, which needs {needed}, and {needed} is not enabled; VPP stops at it"
            yield problem("conf-plugin", entry, f"{text}; enable {needed} or disable {plugin}")


def is_loaded(conf: Conf, plugin: str, release: Release) -> bool:
    """Return whether VPP of a release loads a plugin that is installed."""
    states = _states(conf)
    if plugin in states:
        return states[plugin]
    if states.get(FILLER):
        return True  # whichever plugins a template is filled in with
    return states.get("default", True) and not is_off_by_default(plugin, release)


def loads_by_default(conf: Conf) -> bool:
    """Return whether VPP loads the plugins that the file does not name."""
    return _states(conf).get("default", True)


def _missing(conf: Conf, release: Release, installed: Collection[str] | None) -> Iterator[Problem]:
    """Yield lines about plugins that are not there: VPP reports nothing of them."""
    known = [name for name in plugins() if is_in(name, release)] if installed is None else list(installed)
    for entry in _entries(conf):
        name = name_in(entry.arguments[0])
        if name == "default":
            continue
        if name in installed if installed is not None else is_in(name, release):
            yield from _not_a_file_name(entry, name)
            continue
        close = most_similar(name, tuple(known))
        mend = f"; did you mean `{close}{SUFFIX}`?" if close else ""
        text = f"{_absence(name, installed)}; VPP passes over `plugin {entry.arguments[0]}` in silence{mend}"
        yield problem("conf-plugin-unknown", entry, text, Severity.WARNING)


def _not_a_file_name(entry: ConfEntry, name: str) -> Iterator[Problem]:
    """Find a plugin that is named otherwise than its file, by which alone VPP knows it (vlib/unix/plugin.c)."""
    if not _is_file_name(entry):
        text = f"VPP knows plugins by the names of their files and passes over `plugin {entry.arguments[0]}` in silence"
        yield problem("conf-passed-over", entry, f"{text}; write `plugin {name}{SUFFIX}`")


def _is_file_name(entry: ConfEntry) -> bool:
    return entry.arguments[0] == "default" or entry.arguments[0].endswith(SUFFIX)


def _absence(name: str, installed: Collection[str] | None) -> str:
    if installed is not None:
        return f"the plugin {name} is not installed"
    since, until = plugins().get(name, (None, None))
    if until is not None:
        return f"VPP has had no plugin {name} since {until}"
    return f"the plugin {name} came with VPP {since}" if since else f"upstream VPP has no plugin {name}"


def _entries(conf: Conf) -> Iterator[ConfEntry]:
    plugins = conf.stanza("plugins")
    for entry in (plugins.children if plugins else None) or ():
        if entry.name == "plugin" and entry.arguments:
            yield entry


def _states(conf: Conf) -> dict[str, bool]:
    """Return what the file has of plugins, by name: whether they are enabled; `default` is one of them."""
    states = {}
    for entry in _entries(conf):
        words = [child.name for child in entry.children or ()]
        if ("enable" in words or "disable" in words) and _is_file_name(entry):
            states[name_in(entry.arguments[0])] = "disable" not in words
    return states
