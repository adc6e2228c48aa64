"""Problems in the formats of pipelines: commands of GitHub's workflows, SARIF 2.1.0, and JUnit's XML.

Sources: docs.github.com (workflow commands), OASIS SARIF 2.1.0, and the schema of Jenkins' xUnit plugin for JUnit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from vppcfg import __version__
from vppcfg.common.printable import json_text, printable
from vppcfg.config.explain import explanations
from vppcfg.model.problem import Problem, Severity

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "notice"}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}


def github(problems: Sequence[Problem], file_name: str) -> str:
    """Return a line for each problem, which GitHub shows beside that line of the file."""
    lines = []
    for each in sorted(problems, key=lambda problem: problem.order):
        place = {"file": each.file or file_name, "line": each.line or 1, "col": each.column or 1, "title": each.rule}
        properties = ",".join(f"{key}={_escaped(str(value), ',:')}" for key, value in place.items())
        lines.append(f"::{_GITHUB[each.severity]} {properties}::{_escaped(each.text)}\n")
    return "".join(lines)


def _escaped(text: str, more: str = "") -> str:
    """Return text as a workflow command has it: what would end it is written as numbers."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return printable(text)


def sarif(problems: Sequence[Problem], file_name: str) -> str:
    """Return a SARIF log with one run."""
    rules = sorted({each.rule for each in problems})
    texts = explanations()
    run = {
        "tool": {
            "driver": {
                "name": "vppcfg",
                "version": __version__,
                "rules": [
                    {"id": rule, "shortDescription": {"text": texts[rule].title if rule in texts else rule}}
                    for rule in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [
            {
                "ruleId": each.rule,
                "ruleIndex": rules.index(each.rule),
                "level": _LEVELS[each.severity],
                "message": {"text": each.text},
                "locations": [_location(each, file_name)],
            }
            for each in sorted(problems, key=lambda problem: problem.order)
        ],
    }
    return json_text({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _location(problem: Problem, file_name: str) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(os.fsencode(problem.file or file_name))}}
    if problem.line:
        place["region"] = {"startLine": problem.line, "startColumn": max(problem.column, 1)}
    return {"physicalLocation": place}


def junit(problems: Sequence[Problem], file_name: str) -> str:
    """Return a suite with a test for each file, which fails by its errors; the rest is what it has printed."""
    by_file: dict[str, list[Problem]] = {}
    for each in sorted(problems, key=lambda problem: problem.order):
        by_file.setdefault(each.file or file_name, []).append(each)
    by_file = by_file or {file_name: []}
    suites = Element("testsuites")
    suite = SubElement(suites, "testsuite", name="vppcfg check", errors="0", skipped="0", time="0")
    for name, found in by_file.items():
        case = SubElement(suite, "testcase", classname="vppcfg.check", name=printable(name), time="0")
        errors = [each for each in found if each.severity is Severity.ERROR]
        others = [each for each in found if each.severity is not Severity.ERROR]
        if errors:
            failure = SubElement(case, "failure", message=printable(errors[0].text), type=errors[0].rule)
            failure.text = _lines(errors)
        if others:
            SubElement(case, "system-out").text = _lines(others)
    suite.set("tests", str(len(by_file)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _lines(problems: Sequence[Problem]) -> str:
    texts = (f"{each.line}:{each.column}: {each.severity.value}: {each.text} [{each.rule}]" for each in problems)
    return "\n".join(map(printable, texts))


FORMATS: Mapping[str, Callable[[Sequence[Problem], str], str]] = {"github": github, "sarif": sarif, "junit": junit}
