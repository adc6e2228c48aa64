"""Compares the installed files with those that `vppcfg startup` makes, updates and replaces them."""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vppcfg.cli.output import paint_for, print_line, umask, write_document
from vppcfg.common.printable import printable
from vppcfg.errors import ConfigError, ExitCode, UsageError
from vppcfg.model.problem import Severity
from vppcfg.startup.conf.plugin_review import lost_plugins
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import conf_text, kept_stanzas, update
from vppcfg.startup.file_difference import COST_TEXT, Cost, FileChange, compare, missing_at_boot
from vppcfg.startup.files import STARTUP_CONF, conf_of
from vppcfg.transaction.directory import Directory

if TYPE_CHECKING:
    from vppcfg.model.host import Host
    from vppcfg.startup.file_difference import ChangedSetting
    from vppcfg.startup.settings import Settings

log = logging.getLogger("root.main")

_LIMIT_BYTES = 16 << 20
_OLD, _ORIGINAL = ".old", ".orig"


def show_difference(texts: Mapping[str, str], settings: Settings, host: Host, args: argparse.Namespace) -> ExitCode:
    """Show how the files below the root would change, and what it takes to put that in force."""
    root = Path(args.root)
    final, changes = _prepared(texts, settings, root, args)
    if final[STARTUP_CONF] != texts[STARTUP_CONF]:
        path = str(root / STARTUP_CONF)
        _show_kept_conflicts(final[STARTUP_CONF], texts[STARTUP_CONF], path, settings, host, args)
    lines = [*_described(changes, root), *_boot_lines(settings, host)]
    write_document("".join(f"{printable(line)}\n" for line in lines), args.output)
    differs = any(change.differences for change in changes)
    return ExitCode.CHANGES_PENDING if differs and args.detailed_exitcode else ExitCode.DONE


def _show_kept_conflicts(
    text: str, generated: str, name: str, settings: Settings, host: Host, args: argparse.Namespace
) -> None:
    """Show on standard error what the kept parts of a startup.conf make wrong, by themselves or for the machine.

    What the section sets by itself was judged with the configuration.
    """
    from vppcfg.cli.problems import report
    from vppcfg.startup.lint.finding import ConfSurroundings, Level
    from vppcfg.startup.lint.lint import judge

    known = ConfSurroundings(host=host)
    ours = {(one.rule, one.text) for one in judge(generated, (settings.release,), known).problems}
    found = [
        each.problem
        for each in judge(text, (settings.release,), known).findings
        if each.level in {Level.SENSE, Level.MACHINE} and (each.problem.rule, each.problem.text) not in ours
    ]
    report(found, f"{name}, as it would be", sys.stderr, paint_for(sys.stderr, args.color))


def install(texts: Mapping[str, str], settings: Settings, args: argparse.Namespace) -> ExitCode:
    """Write the files, each in one step; with --install the former ones are kept beside them."""
    root = Path(args.root if args.output_dir is None else args.output_dir)
    final, changes = _prepared(texts, settings, root, args)
    for line in _described(changes, root):
        print_line(printable(line))
    for change in changes:
        if change.is_rewritten:
            _write(root / change.path, final[change.path], keeps_former=args.install and not change.is_new)
    return ExitCode.DONE


def _prepared(
    texts: Mapping[str, str], settings: Settings, root: Path, args: argparse.Namespace
) -> tuple[dict[str, str], list[FileChange]]:
    """Return the texts as they are to be below `root`, and how they differ from what is there."""
    before = {path: _read(root / path) for path in texts}
    final = dict(texts)
    existing = before[STARTUP_CONF]
    if existing is not None and not args.replace:
        final[STARTUP_CONF] = _updated(existing, texts[STARTUP_CONF], root / STARTUP_CONF, settings, args)
    return final, [compare(path, before[path], final[path], settings.release) for path in texts]


def _updated(existing: str, text: str, path: Path, settings: Settings, args: argparse.Namespace) -> str:
    """Return a new startup.conf with what is to stay of the existing one.

    Raise ConfigError when something in the existing one would stop VPP.
    """
    from vppcfg.cli.problems import report

    generated = conf_of(text, settings)
    tree, problems = read_conf(existing, settings.release)
    kept = kept_stanzas(tree, generated)
    found = [*problems, *review(tree, settings.release), *lost_plugins(tree, kept, settings.plugins)]
    report(found, str(path), sys.stderr, paint_for(sys.stderr, args.color))
    if any(problem.severity is Severity.ERROR for problem in found):
        hint = "correct it, or write a new one with --replace; `vppcfg explain RULE` explains a rule"
        raise ConfigError(f"{path} cannot be brought up to date, and nothing was written", hint)
    return conf_text(update(tree, generated))


def _read(path: Path) -> str | None:
    """Return the text of an installed file, None when there is none. Raise UsageError when it cannot be read."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_LIMIT_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > _LIMIT_BYTES:
        raise UsageError(f"{path} is larger than {_LIMIT_BYTES >> 20} MB", "that is no file of settings")
    return data.decode(errors="surrogateescape")


def _write(path: Path, text: str, *, keeps_former: bool) -> None:
    """Put a file in the place of `path`, even of a link there. Raise UsageError when that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if keeps_former:
            _back_up(path)
        if path.is_symlink():
            log.warning("%s was a link to %s and is a regular file now", path, os.readlink(path))
        _put(path, text.encode(errors="surrogateescape"), like=path if path.exists() else None, is_copy=False)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or path}: {error.strerror}") from error
    log.info("Wrote %d lines to %s", text.count("\n"), path)


def _back_up(path: Path) -> None:
    """Keep an installed file as *.old; what the first time left there is the operator's, and stays as *.orig."""
    former, original = path.with_name(path.name + _OLD), path.with_name(path.name + _ORIGINAL)
    if former.is_file() and not former.is_symlink() and not os.path.lexists(original):
        os.rename(former, original)
        log.info("The first %s is now %s", path, original)
    _put(former, path.read_bytes(), like=path, is_copy=True)
    log.info("The former %s is now %s", path, former)


def _put(path: Path, data: bytes, *, like: Path | None, is_copy: bool) -> None:
    """Put bytes in the place of `path` in one step, on the disk when this returns.

    The file has the owner, group, mode and attributes of the one that it is to be like, a copy its times too.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            if like is None:
                os.fchmod(stream.fileno(), 0o666 & ~umask())
            else:
                status = like.stat()
                os.fchown(stream.fileno(), status.st_uid, status.st_gid)
                stream.flush()
                shutil.copystat(like, temporary)
                if not is_copy:
                    os.utime(stream.fileno())
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
        with Directory.at(path.parent) as folder:
            folder.sync()
    except BaseException:
        with suppress(FileNotFoundError):  # it is in its place already, and a signal came
            os.unlink(temporary)
        raise


def _described(changes: Sequence[FileChange], root: Path) -> Iterator[str]:
    for change in changes:
        yield f"{root / change.path}: {_summary(change)}"
        yield from (f"  {_difference(one)}" for one in change.differences if not change.is_new)
    cost = max((change.cost for change in changes), default=Cost.NOTHING)
    yield f"to put in force: {COST_TEXT[cost]}"


def _summary(change: FileChange) -> str:
    if change.is_new:
        return "new"
    if change.differences:
        return f"{len(change.differences)} difference(s)"
    return "same meaning, other text" if change.is_rewritten else "as it should be"


def _difference(one: ChangedSetting) -> str:
    if one.before is None:
        return f"+ {one.place} {one.after}".rstrip()
    if one.after is None:
        return f"- {one.place} {one.before}".rstrip()
    return f"~ {one.place}: {one.before} -> {one.after}"


def _boot_lines(settings: Settings, host: Host) -> Iterator[str]:
    missing = missing_at_boot(settings.kernel_parameters, host.kernel_line)
    if host.kernel_line and missing:
        yield f"the running kernel was started without: {' '.join(missing)}"
