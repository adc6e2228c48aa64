"""A plan as one HTML page, for whoever approves a change: what differs, the impact on traffic, the steps in order.

The page loads nothing, runs nothing, and reads on a phone. Whatever comes from VPP or from the file is escaped, with
what does not show written out; the page's own policy forbids scripts besides (Content-Security-Policy, W3C CSP3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from vppcfg.common.printable import in_page
from vppcfg.model.problem import Problem
from vppcfg.operations.change import Action
from vppcfg.operations.stages import Phase, Stage
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.plan.unmanaged import Survival, unmanaged_changes
from vppcfg.record import record
from vppcfg.render.diff_view import diff_lines, summary
from vppcfg.render.impact_text import consequences, impact_lines, impact_summary
from vppcfg.render.notes import notes
from vppcfg.render.pause_text import unknown_line
from vppcfg.render.plan_text import cli_line, describe

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --faint: #59636e; --line: #d0d7de; --shade: #f6f8fa;
  --good: #116329; --bad: #a40e26; --changed: #7d4e00; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --paper: #0d1117; --faint: #9198a1; --line: #3d444d;
  --shade: #151b23; --good: #56d364; --bad: #ff7b72; --changed: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; }
dt { color: var(--faint); } dd { margin: 0; }
.verdict { border: 2px solid; border-radius: 6px; padding: .5rem .8rem; margin: 1rem 0; font-weight: 600; }
pre, .code { font: .85rem/1.45 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .6rem; margin: .5rem 0;
  overflow-x: auto; white-space: pre; }
ol, ul { padding-left: 1.6rem; } li { margin: .25rem 0; }
.good { color: var(--good); } .bad { color: var(--bad); }
.changed { color: var(--changed); } .faint { color: var(--faint); }
@media print { pre { white-space: pre-wrap; } }
""".strip()
_PHASES = {
    Phase.PRUNE: "First what goes or must be renewed: it frees names, addresses and tables for what comes.",
    Phase.CREATE: "Then what is new: what others need is there before them.",
    Phase.SYNC: "At last the values of what is there.",
}
_CLASSES = {Action.CREATE: "good", Action.UPDATE: "changed", Action.REPLACE: "bad", Action.DELETE: "bad"}
_COMMANDS_SHOWN = 5000


@record
class PageFacts:
    """What the page shows beside the plan."""

    file: str
    digest: str
    """SHA-256 of the file."""
    made_at: str
    made_by: str
    vppcfg_version: str
    source: str
    """What it was planned from: the VPP at a socket, or a saved state."""


def plan_page(
    plan: Plan,
    problems: Sequence[Problem],
    refusals: Sequence[str],
    facts: PageFacts,
    routing: Sequence[str] = (),
    programs: Sequence[str] = (),
    rehearsed: Sequence[str] = (),
) -> str:
    """Return the page; `routing`, `programs` and `rehearsed` have the lines about each of these."""
    title = f"Plan for {facts.file}"
    parts = [
        f"<h1>{_text(title)}</h1>",
        _facts(plan, facts),
        _verdict(plan, refusals, is_empty=not plan.steps and not routing),
        *_section("Warnings", _listed((problem.text for problem in problems), "changed")),
        *_section("What changes", _difference(plan)),
        *_section("Impact on traffic", _impact(plan)),
        *_section("What others have configured", _unmanaged(plan)),
        *_section("Notes", _listed([*notes(plan), *filter(None, [unknown_line(plan)])], "")),
        *_section("What routing daemons load", ["<pre>", *map(_text, routing), "</pre>"] if routing else ()),
        *_section("Programs of this machine that are run", _listed(programs, "changed")),
        *_section("Rehearsal", ["<pre>", *map(_text, rehearsed), "</pre>"] if rehearsed else ()),
        *_section("Steps, in their order", _steps(plan)),
        *_section("Commands", _commands(plan)),
    ]
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<title>{_text(title)}</title>\n'
        f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _text(text: str) -> str:
    """Return text from outside as HTML."""
    return escape(str(in_page(text)), quote=True)


def _section(title: str, content: Iterable[str]) -> Iterator[str]:
    """Yield a section, nothing when it has no content."""
    lines = list(content)
    if lines:
        yield f"<section>\n<h2>{title}</h2>"
        yield from lines
        yield "</section>"


def _facts(plan: Plan, facts: PageFacts) -> str:
    rows = {
        "file": facts.file,
        "SHA-256": facts.digest,
        "planned from": facts.source,
        "VPP": plan.observed.facts.version,
        "made": f"{facts.made_at} by {facts.made_by}",
        "with": f"vppcfg {facts.vppcfg_version}",
    }
    lines = [f"<dt>{name}</dt><dd>{_text(text)}</dd>" for name, text in rows.items() if text]
    return "<dl>\n" + "\n".join(lines) + "\n</dl>"


def _verdict(plan: Plan, refusals: Sequence[str], *, is_empty: bool) -> str:
    if is_empty:
        return '<p class="verdict good">Nothing to do</p>'
    colour = "good" if plan.impact is Impact.NONE else "bad" if plan.impact >= Impact.FLAP else "changed"
    text = f'<p class="verdict {colour}">{_text(summary(plan))}</p>'
    if refusals:
        text += '\n<p class="bad">It would be refused at present:</p>\n' + "\n".join(_listed(refusals, "bad"))
    return text


def _listed(texts: Iterable[str], colour: str) -> Iterator[str]:
    lines = [f"<li>{_text(text)}</li>" for text in texts]
    if lines:
        yield f'<ul class="{colour}">' if colour else "<ul>"
        yield from lines
        yield "</ul>"


def _difference(plan: Plan) -> Iterator[str]:
    """Yield the entries that differ; what stands in sections of its own is left out."""
    others = (*impact_lines(plan), *notes(plan), *map(str, unmanaged_changes(plan)))
    own = {f"  {line}" for line in others}
    lines = [line for line in diff_lines(plan) if line.text not in own][:-1]  # the last one is the impact
    if not lines:
        return
    yield "<pre>"
    for line in lines:
        colour = _CLASSES.get(line.action, "") if line.action is not None else "faint"
        yield f'<span class="{colour}">{_text(line.text)}</span>'
    yield "</pre>"


def _impact(plan: Plan) -> Iterator[str]:
    if not plan.steps:
        return
    found = consequences(plan)
    if not found:
        yield f'<p class="good">{_text(impact_summary(plan))}</p>'
        return
    yield "<ul>"
    for each in found:
        yield f"<li><strong>{_text(each.impact.label)}</strong>: {_text(each.text)}"
        yield f'<br><span class="faint">{_text(", ".join(each.interfaces))}</span></li>'
    yield "</ul>"


def _unmanaged(plan: Plan) -> Iterator[str]:
    changes = unmanaged_changes(plan)
    kept = [str(each) for each in changes if each.survival is Survival.CARRIED]
    lost = [str(each) for each in changes if each.survival is not Survival.CARRIED]
    yield from _listed(lost, "bad")
    yield from _listed(kept, "")


def _steps(plan: Plan) -> Iterator[str]:
    """Yield the steps with the reason of their place."""
    places = enumerate(plan.steps)
    for phase, numbered in groupby(places, key=lambda each: each[1].stage.phase):
        yield f"<p>{_PHASES[phase]}</p>"
        steps = list(numbered)
        yield f'<ol start="{steps[0][0] + 1}">'
        for position, step in steps:
            impact = plan.step_impacts.get(position, Impact.NONE)
            felt = f' <strong class="bad">{_text(impact.label)}</strong>' if impact is not Impact.NONE else ""
            line = cli_line(step.operation, plan.observed.facts.version) or describe(step.operation)
            reason = f'<span class="faint">{_stage_words(step.stage)}</span>'
            yield f'<li><span class="code">{_text(line)}</span>{felt}<br>{reason}</li>'
        yield "</ol>"


def _stage_words(stage: Stage) -> str:
    return stage.name.replace("_", " ").lower()


def _commands(plan: Plan) -> Iterator[str]:
    """Yield what `vppctl exec` runs, as far as VPP's CLI can express it."""
    version = plan.observed.facts.version
    found = [cli_line(step.operation, version) for step in plan.steps]
    lines = [line for line in found if line is not None]
    if lines:
        yield "<pre>"
        yield from (_text(line) for line in lines[:_COMMANDS_SHOWN])
        yield "</pre>"
    if len(lines) > _COMMANDS_SHOWN:
        yield f"<p>… and {len(lines) - _COMMANDS_SHOWN:,} more</p>"
    if missing := len(found) - len(lines):
        yield f"<p>{missing} of the steps have no form in VPP's CLI; <code>vppcfg apply</code> does them too.</p>"
