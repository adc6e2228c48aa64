"""Edits YAML texts in places: comments, order and indentation stay as they were typed."""

from __future__ import annotations

import io
import re
from difflib import SequenceMatcher, unified_diff
from typing import Any

from vppcfg.errors import UsageError

_STYLES = ((2, 2, 0), (2, 4, 2), (4, 4, 0), (4, 4, 2), (4, 6, 4))
"""Indentations in use: of maps, of lists, and of the dash in it."""
_MOST_LINES = 4000
"""Of which every one is looked for; comments and order stay in longer texts too, but not every blank."""
_BRACES = re.compile(r"\{([^{} ][^{}]*)\}")
_COMMENT = re.compile(r"(?<=\}) +#")


class EditedText:
    """A YAML text, and its data of ruamel.yaml, which may be changed."""

    def __init__(self, text: str) -> None:
        """Read a text. Raise UsageError when it is not YAML."""
        self._text = text
        self.data = data_of(text)
        self._yaml = _writer(text, self.data)
        self._unchanged = _dumped(self._yaml, self.data) if self.data is not None else ""

    def text(self) -> str:
        """Return the text as it is by now; every line that nothing has changed in stays as it was typed."""
        return _carried_over(self._text, self._unchanged, _dumped(self._yaml, self.data))


def difference(before: str, after: str, name: str) -> list[str]:
    """Return a unified diff of two texts."""
    old, new = before.splitlines(), after.splitlines()
    return list(unified_diff(old, new, f"{name} (now)", f"{name} (then)", lineterm=""))


def block_map() -> Any:
    """Return an empty map that is written in lines of its own."""
    from ruamel.yaml.comments import CommentedMap

    return CommentedMap()


def flow_map() -> Any:
    """Return an empty map that is written in one line."""
    mapping = block_map()
    mapping.fa.set_flow_style()
    return mapping


def data_of(text: str) -> Any:
    """Return the data of ruamel.yaml of a YAML text. Raise UsageError when it is not YAML."""
    from ruamel.yaml.error import YAMLError

    try:
        return _yaml(_STYLES[0]).load(text)
    except YAMLError as error:
        raise UsageError("the configuration is not YAML, and cannot be edited", str(error)) from error


def _writer(text: str, data: Any) -> Any:
    """Return what writes the data of a text most nearly as the text stands, by the indentation that it has."""
    best: tuple[int, Any] | None = None
    for style in _STYLES:
        yaml = _yaml(style)
        changed = len(difference(text, _dumped(yaml, data), "")) if data is not None else 0
        if best is None or changed < best[0]:
            best = changed, yaml
        if not changed:
            break
    assert best is not None
    return best[1]


def _yaml(style: tuple[int, int, int]) -> Any:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=style[0], sequence=style[1], offset=style[2])
    return yaml


def _dumped(yaml: Any, data: Any) -> str:
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _carried_over(text: str, unchanged: str, changed: str) -> str:
    """Return `text` with the lines that differ between two dumps of it: every other line stays as it was typed."""
    typed, before, after = text.splitlines(), unchanged.splitlines(), changed.splitlines()
    if len(before) > _MOST_LINES or not before:
        return changed
    groups = _typed_by_dumped(typed, before)
    lines: list[str] = []
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += (line for group in groups[first:last] for line in group)
        else:
            lines += _styled([line for group in groups[first:last] for line in group], after[start:end])
    return "".join(f"{line}\n" for line in lines)


def _typed_by_dumped(typed: list[str], dumped: list[str]) -> list[list[str]]:
    """Return for each line of a dump the lines that were typed for it: as a rule one, of a wrapped list several.

    What was typed in other lines than it is dumped in all goes with the first of these, where they are as many; else
    each line is taken as it was dumped.
    """
    if len(typed) == len(dumped):
        return [[line] for line in typed]
    plain, groups = [_plain(line) for line in typed], []
    for kind, first, last, start, end in SequenceMatcher(
        None, plain, [_plain(line) for line in dumped], autojunk=False
    ).get_opcodes():
        if kind == "equal" or last - first == end - start:
            groups += [[line] for line in typed[first:last]]
        elif end - start == 1:
            groups.append(typed[first:last])
        else:
            groups += [[line] for line in dumped[start:end]]
    return groups


def _plain(line: str) -> str:
    """Return a line without its blanks, by which it is known again."""
    return "".join(line.split())


def _styled(typed: list[str], dumped: list[str]) -> list[str]:
    """Return dumped lines with the spaces inside braces, and before a comment, that the typed ones have."""
    if any('"' in line or "'" in line for line in dumped) or not any("{ " in line for line in typed):
        return dumped
    gap = next((match[0] for line in typed if (match := _COMMENT.search(line))), " #")
    return [_COMMENT.sub(gap, _BRACES.sub(r"{ \1 }", line)) for line in dumped]
