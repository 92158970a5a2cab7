"""promptfoo: the JSON or the JSON lines that `promptfoo eval -o results.json` writes; one file holds all systems.

A result is of one test, one provider and one prompt; providers and prompts are the systems. Tests are matched by their
variables, because their numbers change when a test is added. Repetitions of a test (`--repeat`) are runs of one item.

Several assertions of a test may give one named score. New versions write the weighted mean of them, and the sum of the
weights; old ones write their sum. The score that promptfoo reports is the mean over assertions, not over tests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import fsum
from typing import Any

from outperform.base.errors import DataError, count, listing, unusable
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, group, mapping, number, parse, preferred, same

__all__ = ["PROMPTFOO"]

SUCCESS, SCORE, NAMED = "success", "score", "namedScores"
KEYS = {"testIdx", "promptIdx", SUCCESS, SCORE}  # of a line of JSON lines
NO_ANSWER = 2  # the failureReason of a provider that failed
OF_THE_RUN = {"sessionId", "_conversation"}  # variables that promptfoo sets anew in each run
SHORT = 40  # characters of a prompt that serves as a name


def read(file: LogFile, choice: Choice) -> Run:
    """Read the values of one metric for one provider and prompt, per test."""
    results = _results(file)
    metric = _metric(file, results, choice)
    systems = _systems(results)
    chosen = [row for row, system in zip(results, systems, strict=True) if system == (file.part or systems[0])]
    source = f"{file.source} ({file.part})" if len(set(systems)) > 1 else file.source
    tests = _tests(chosen, source)
    _check_answered(tests, source)
    scores: dict[Hashable, list[float]] = {}
    groups: dict[Hashable, Hashable] = {}
    contents: dict[Hashable, str] = {}
    for item, rows in tests.items():
        where = f"{source}, {_place(rows[0])}"
        scores[item] = [number(_values(row).get(metric), f"{where}, {metric!r}") for row in rows]
        contents[item] = _asserted(rows[0])
        if choice.cluster is not None:
            groups[item] = group(mapping(_test(rows[0]).get("metadata")) | _variables(rows[0]), choice.cluster, where)
    if metric not in (SUCCESS, SCORE):
        rows = [row for rows in tests.values() for row in rows]
        _check_reported(source, metric, rows, [score for scored in scores.values() for score in scored])
    return Run(source, metric, scores, groups, contents)


def _results(file: LogFile) -> list[dict[str, Any]]:
    """All results of a file, in the order of the tests and, of a test, of the providers and prompts."""
    if (file.opening or {}).keys() >= KEYS:
        found: Any = [parse(text, f"{file.source}, line {line}") for line, text in file.lines()]
    else:
        found = _listed(file.document)
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise DataError(
            f"{file.source} is no output of promptfoo; JSON with the results of all tests is expected, as from: "
            "promptfoo eval -o results.json"
        )
    if not found:
        raise DataError(f"{file.source} holds no results; run promptfoo eval with at least one test")
    numbered = all(isinstance(row.get(name), int) for row in found for name in ("testIdx", "promptIdx"))
    return sorted(found, key=lambda row: (row["testIdx"], row["promptIdx"])) if numbered else found


def _listed(document: object) -> object:
    """The list of results in a document; None where it has none."""
    return mapping(mapping(document).get("results")).get("results")


def _metric(file: LogFile, results: Sequence[dict[str, Any]], choice: Choice) -> str:
    """The metric that is asked for, or the only one; a score that is 1 for a success and else 0 is no other metric."""
    values = list(map(_values, results))
    known = [name for name in values[0] if all(name in row for row in values)]
    alike = all(row.get(SCORE) == row.get(SUCCESS) for row in values)
    asked = preferred(choice.metric, known)
    if (having := sum(asked in row for row in values)) and asked not in known:
        found = f"{file.source} has {asked!r} in {having} of {count(len(values), 'result')}"
        raise DataError(f"{found}; choose one that all have: {listing(known)}")
    return choose("metric", asked, known if asked or not alike else [n for n in known if n != SCORE], file.source)


def _values(row: dict[str, Any]) -> dict[str, object]:
    """Values by metric: whether the test passed, its score, and those of named assertions."""
    standard = {name: row[name] for name in (SUCCESS, SCORE) if name in row}
    named = {name: _of_assertions(row, name, value) for name, value in mapping(row.get(NAMED)).items()}
    return standard | named | standard


def _of_assertions(row: dict[str, Any], metric: str, value: object) -> object:
    """The mean over the assertions of a test that give a named score, of which old versions write the sum."""
    if metric in _weights(row) or not isinstance(value, int | float):
        return value
    return value / _assertions(row, metric)


def _assertions(row: dict[str, Any], metric: str) -> int:
    """The number of assertions of a test that give a named score."""
    found = mapping(row.get("gradingResult")).get("componentResults")
    parts = map(mapping, found if isinstance(found, list) else ())
    names = [mapping(p.get("metadata")).get("renderedMetric", mapping(p.get("assertion")).get("metric")) for p in parts]
    return max(names.count(metric), 1)


def _weights(row: dict[str, Any]) -> dict[str, Any]:
    """The sum of the weights of the assertions that give each named score; empty in old versions."""
    return mapping(mapping(row.get("gradingResult")).get("namedScoreWeights"))


def _check_reported(source: str, metric: str, rows: Sequence[dict[str, Any]], scores: Sequence[float]) -> None:
    """Check that the mean over tests is the mean over assertions, which promptfoo reports of a named score."""
    weights = [number(_weights(row).get(metric, _assertions(row, metric)), f"{source}, {_place(row)}") for row in rows]
    if not fsum(weights):
        return
    reported = fsum(score * weight for score, weight in zip(scores, weights, strict=True)) / fsum(weights)
    mean = fsum(scores) / len(scores)
    if not same(reported, mean):
        found = (
            f"{source}: promptfoo reports {reported:.4g} of {metric!r}, and its mean over tests is {mean:.4g}: tests "
            "count by the number and the weights of the assertions that give it"
        )
        raise unusable("{found}; choose another with {metric}, or give all tests the same of them", found=found)


def _systems(results: Sequence[dict[str, Any]]) -> list[str]:
    """The system of each result: its provider, its prompt, or both, whichever differ."""
    pairs = [(_provider(row), _prompt(row)) for row in results]
    providers, prompts = (list(dict.fromkeys(names)) for names in zip(*pairs, strict=True))
    named = {prompt: prompt if _is_name(prompt) else f"prompt {k}" for k, prompt in enumerate(prompts, start=1)}
    if len(prompts) == 1:
        return [provider for provider, _ in pairs]
    return [named[prompt] if len(providers) == 1 else f"{provider} / {named[prompt]}" for provider, prompt in pairs]


def _provider(row: dict[str, Any]) -> str:
    found = row.get("provider")
    return str(((found.get("label") or found.get("id")) if isinstance(found, dict) else found) or "")


def _prompt(row: dict[str, Any]) -> str:
    """The label of a prompt, which is its text before variables are put in, unless it has a label of its own."""
    found = mapping(row.get("prompt"))
    return str(found.get("label") or found.get("display") or "")


def _is_name(prompt: str) -> bool:
    return 0 < len(prompt) <= SHORT and "\n" not in prompt


def _tests(rows: Sequence[dict[str, Any]], source: str) -> dict[Hashable, list[dict[str, Any]]]:
    """The results of each test, one for each time that it was run; tests with the same variables are numbered."""
    _check_once(rows, source)
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        alike.setdefault((_text(_variables(row)), _asserted(row)), []).append(row)
    often = Counter(map(len, alike.values())).most_common(1)[0][0]
    odd = [item for (item, _), found in alike.items() if len(found) % often]
    if odd:
        raise DataError(f"{source}: most tests were run {often} times, and others not: {listing(odd)}; finish the run")
    tests: dict[Hashable, list[dict[str, Any]]] = {}
    numbers = Counter[str]()
    for (item, _), found in alike.items():
        for start in range(0, len(found), often):
            numbers[item] += 1
            tests[item if numbers[item] == 1 else f"{item} #{numbers[item]}"] = found[start : start + often]
    return tests


def _check_once(rows: Sequence[dict[str, Any]], source: str) -> None:
    """Check that no test has two results, as prompts without labels would give it."""
    numbers = Counter(row["testIdx"] for row in rows if isinstance(row.get("testIdx"), int))
    twice = [test for test, n in numbers.items() if n > 1]
    if twice:
        found = f"{source} has several results of test {listing(twice)} for the same provider and prompt"
        raise DataError(f"{found}; give prompts labels")


def _check_answered(tests: dict[Hashable, list[dict[str, Any]]], source: str) -> None:
    """Check that no provider failed, which promptfoo scores as a wrong answer."""
    failed = [item for item, rows in tests.items() if any(row.get("failureReason") == NO_ANSWER for row in rows)]
    if failed:
        raise DataError(
            f"{source}: {count(len(failed), 'test')} ended in an error and not in an answer: {listing(failed, 5)}; "
            "run promptfoo eval again, which takes the other answers from its cache"
        )


def _variables(row: dict[str, Any]) -> dict[str, Any]:
    found = mapping(_test(row).get("vars") or row.get("vars"))
    return {name: value for name, value in found.items() if name not in OF_THE_RUN}


def _test(row: dict[str, Any]) -> dict[str, Any]:
    return mapping(row.get("testCase"))


def _asserted(row: dict[str, Any]) -> str:
    return _text(_test(row).get("assert"))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _place(row: dict[str, Any]) -> str:
    return f"test {row.get('testIdx', _text(_variables(row)))}"


def _claims(file: LogFile) -> bool:
    """Whether a file holds results of providers."""
    found = file.opening or {}
    rows = _listed(found)
    return found.keys() >= KEYS or (
        isinstance(rows, list) and all(isinstance(row, dict) and {"provider", SUCCESS} <= row.keys() for row in rows)
    )


def _parts(file: LogFile) -> Iterator[str]:
    """The systems in a file."""
    return iter(dict.fromkeys(_systems(_results(file))))


PROMPTFOO = Format(
    takes=frozenset({"metric", "cluster"}),
    named=lambda _: False,
    claims=_claims,
    read=read,
    system=lambda file: file.part or None,
    parts=_parts,
)
