"""Writes the manual pages from the commands and the text of docs/: one for vppcfg, one per command, one for a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tools.manual.markdown import section_of, to_roff
from vppcfg.commandline import roff
from vppcfg.commandline.command import Argument, Command, Option

_MANUAL = "vppcfg manual"
_PLACES = {
    "/etc/vpp/vppcfg.yaml": "the configuration, when no other is named; see vppcfg.yaml(5)",
    "/run/vpp/api.sock": "VPP's API socket, when no other is named",
    "/etc/default/vppcfg": "options of vppcfg.service and vppcfg-watch.service",
    "/etc/default/vppcfg-metrics": "options of vppcfg-metrics.service",
}


def command_page(command: Command, vppcfg: Command, documented: str, version: str, date: str) -> str:
    """Return the page of a command; `documented` is docs/commands.md, whose section about it is taken over."""
    name = "-".join(command.words)
    return roff.page(
        [
            *roff.title(name, 1, date, f"vppcfg {version}", _MANUAL),
            *_name(name, command.summary or command.description),
            roff.heading("Synopsis"),
            *_synopsis(command),
            roff.heading("Description"),
            *_description(command, documented),
            *_arguments(command),
            *_options(command),
            *_commands(command),
            roff.heading("Exit status"),
            *to_roff(section_of(documented, "Exit codes")),
            *_files(),
            *_see_also(command, vppcfg),
        ]
    )


def file_page(text: str, version: str, date: str) -> str:
    """Return the page of the configuration file, which is docs/configuration.md."""
    return roff.page(
        [
            *roff.title("vppcfg.yaml", 5, date, f"vppcfg {version}", _MANUAL),
            *_name("vppcfg.yaml", "configuration of an FD.io VPP router"),
            roff.heading("Description"),
            *to_roff(text),
            roff.heading("See also"),
            *roff.paragraph(_reference("vppcfg", 1) + ", " + _reference("vppcfg-check", 1)),
        ]
    )


def _name(name: str, summary: str) -> list[str]:
    return [roff.heading("Name"), roff.escaped(name) + r" \- " + roff.formatted(summary.rstrip("."))]


def _synopsis(command: Command) -> list[str]:
    """Return the usage; the options that all commands share are not in it."""
    parts = [roff.bold(" ".join(command.words))]
    shown: set[str] = set()
    for option in command.options:
        if option.group != "global options" and option.names[0] not in shown | {"-h"}:
            together = [option, *(other for other in command.options if other.names[0] in option.excludes)]
            shown.update(other.names[0] for other in together)
            parts.append(_bracketed(r" | ".join(map(_usage, together)), option.is_required, option.is_repeatable))
    parts += [_bracketed(roff.italic(one.value), one.is_required, one.is_repeatable) for one in command.arguments]
    if command.commands:
        parts.append(roff.italic("COMMAND") + " ...")
    return roff.paragraph("\n".join(parts))


def _bracketed(text: str, is_required: bool, is_repeatable: bool) -> str:
    more = " ..." if is_repeatable else ""
    return text + more if is_required else f"[{text}]{more}"


def _usage(option: Option) -> str:
    """Return an option as the synopsis has it: by its first name, the value behind."""
    return roff.bold(option.names[0]) + (rf"\ {roff.italic(option.value)}" if option.value else "")


def _description(command: Command, documented: str) -> list[str]:
    """Return the section of the document about a command, else the text of its help."""
    text = roff.paragraph(roff.formatted(command.description))
    if len(command.words) == 1:
        return text + to_roff(section_of(documented, "Everywhere"))
    return to_roff(section_of(documented, " ".join(command.words))) or text


def _arguments(command: Command) -> Iterator[str]:
    if any(argument.help for argument in command.arguments):
        yield roff.heading("Arguments")
        for argument in command.arguments:
            yield from _tagged(roff.italic(argument.value), argument)


def _options(command: Command) -> Iterator[str]:
    """Yield the options as help groups them."""
    yield roff.heading("Options")
    for group, options in groupby(command.options, key=lambda option: option.group):
        if group != "options":
            yield roff.subheading(group[:1].upper() + group[1:])
        for option in options:
            value = f" {roff.italic(option.value)}" if option.value else ""
            yield from _tagged(", ".join(map(roff.bold, option.names)) + value, option)


def _tagged(tag: str, taker: Option | Argument) -> list[str]:
    choices = "|".join(taker.choices)
    named = [f"One of: {roff.escaped(', '.join(taker.choices))}."] if choices not in taker.value else []
    return roff.tagged(tag, roff.formatted(taker.help), *named)


def _commands(command: Command) -> Iterator[str]:
    if command.commands:
        yield roff.heading("Commands")
    for child in command.commands:
        yield from roff.tagged(_reference("-".join(child.words), 1), roff.formatted(child.summary))


def _files() -> Iterator[str]:
    yield roff.heading("Files")
    for path, meaning in _PLACES.items():
        yield from roff.tagged(roff.italic(path), roff.escaped(meaning))


def _see_also(command: Command, vppcfg: Command) -> list[str]:
    """Return references to the commands beside and above this one."""
    above = [other for other in vppcfg.walk() if command in other.commands]
    beside = [child for other in above for child in other.commands if child is not command]
    names = sorted("-".join(other.words) for other in [*above, *beside])
    references = [_reference(name, 1) for name in names] + [_reference("vppcfg.yaml", 5)]
    return [roff.heading("See also"), *roff.paragraph(",\n".join(references))]


def _reference(name: str, section: int) -> str:
    return f"{roff.bold(name)}({section})"
