"""Writes metrics in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vppcfg.common.printable import printable

Labels = tuple[tuple[str, str], ...]


def metric(name: str, kind: str, text: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    """Yield the lines of one metric, `kind` being counter or gauge; none without samples."""
    return labelled_metric(name, kind, text, ((label_text(labels), value) for labels, value in samples))


def labelled_metric(name: str, kind: str, text: str, samples: Iterable[tuple[str, float]]) -> Iterator[str]:
    """Yield the lines of one metric whose labels are text already; none without samples."""
    lines = [f"{name}{labels} {number_text(value)}" for labels, value in samples]
    if lines:
        yield f"# HELP {name} {text}"
        yield f"# TYPE {name} {kind}"
        yield from lines


def label_text(labels: Labels) -> str:
    """Return labels in braces; nothing without any."""
    inside = ",".join(f'{label}="{escaped(content)}"' for label, content in labels)
    return f"{{{inside}}}" if inside else ""


def number_text(value: float) -> str:
    """Return a value, a whole number without a point."""
    return str(int(value)) if value == int(value) else f"{value:.3f}" if abs(value) >= 1000 else f"{value:.6g}"


def escaped(text: str) -> str:
    """Return the value of a label; what does not show is written out."""
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')
