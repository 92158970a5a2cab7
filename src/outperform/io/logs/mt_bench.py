"""MT-Bench: model_judgment/*_single.jsonl and *_pair.jsonl of FastChat, a line for each judgment of each turn.

Both hold all systems. An answer that is judged alone has a score. One that is judged beside that of another system
wins, loses or ties: it wins if it does in both orders of the two answers, as FastChat has it. The two turns of a
question go together: questions are clusters.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from outperform.base.errors import DataError, count, listing, unusable
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, number, parse

__all__ = ["MT_BENCH"]

NAME = re.compile(r".+_(single|pair)\.jsonl")
QUESTION, TURN, JUDGE = "question_id", "turn", "judge"
ALONE, BESIDE = {QUESTION, TURN, "model", "score"}, {QUESTION, TURN, "model_1", "model_2", "g1_winner", "g2_winner"}
SCORE, WIN_RATE = "score", "win_rate"
UNREAD, ERROR = -1, "error"  # in place of a score or a winner that the judge did not give
WINS = {"model_1": (1.0, 0.0), "model_2": (0.0, 1.0), "tie": (0.5, 0.5)}


def read(file: LogFile, choice: Choice) -> Run:
    """Read the scores of one system, or what it wins of another one."""
    rows = list(_rows(file))
    metric = choose("metric", choice.metric, [SCORE if _is_alone(rows[0]) else WIN_RATE], file.source)
    system = file.part or next(iter(_systems(file)))
    own = _of_scores(rows, system) if metric == SCORE else _of_wins(file, rows, system)
    scores: dict[Hashable, list[float]] = {}
    for row, value in own:
        item = (row[QUESTION], row[TURN])
        if item in scores:
            found = f"{file.source} has two judgments of {system!r} on question {item[0]!r}, turn {item[1]!r}"
            raise DataError(f"{found}; keep those of one judge and one run")
        scores[item] = [number(value, f"{file.source}, question {item[0]!r}, turn {item[1]!r}")]
    judges = {(row[QUESTION], row[TURN]): repr(row.get(JUDGE)) for row, _ in own}
    if len({turn for _, turn in judges}) == 1:
        return Run(file.source, metric, {q: scores[q, t] for q, t in judges}, contents=_by_question(judges))
    return Run(file.source, metric, scores, {item: item[0] for item in judges}, dict(judges))


def _by_question(judges: Mapping[tuple[Hashable, Any], str]) -> dict[Hashable, str]:
    return {question: f"{turn} {judge}" for (question, turn), judge in judges.items()}


def _of_scores(rows: Sequence[dict[str, Any]], system: str) -> list[tuple[dict[str, Any], object]]:
    """Judgments of the answers of one system, each with its score."""
    return [(row, row["score"]) for row in rows if row["model"] == system]


def _of_wins(file: LogFile, rows: Sequence[dict[str, Any]], system: str) -> list[tuple[dict[str, Any], object]]:
    """Judgments of one system beside another one: 1 for a win, 0.5 for a tie, 0 otherwise."""
    found = list[tuple[dict[str, Any], object]]()
    for row in rows:
        pair = (row["model_1"], row["model_2"])
        if system in pair:
            known = [WINS.get(row[name]) for name in ("g1_winner", "g2_winner")]
            if None in known:
                raise DataError(f"{_place(file, row)}: a winner is expected, one of {listing(WINS)}")
            wins = known[0] if known[0] == known[1] else WINS["tie"]
            found.append((row, wins[pair.index(system)] if wins else None))
    return found


def _rows(file: LogFile) -> Iterator[dict[str, Any]]:
    """All judgments; each has its score or its winners."""
    rows = [parse(text, f"{file.source}, line {line}") for line, text in file.lines()]
    for line, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or not (row.keys() >= ALONE or row.keys() >= BESIDE):
            found = f"{file.source}, line {line}: no judgment of MT-Bench"
            raise DataError(f"{found}; an object with {listing(sorted(ALONE))} is expected")
        if _is_alone(row) != _is_alone(rows[0]):
            raise DataError(f"{file.source} has scores and winners; give one file of each, and compare one of them")
    _check_judged(file, rows)
    yield from rows


def _check_judged(file: LogFile, rows: Sequence[dict[str, Any]]) -> None:
    """Refuse judgments without a score or a winner, which MT-Bench itself leaves out system by system."""
    unread = [r for r in rows if r.get("score") == UNREAD or ERROR in (r.get("g1_winner"), r.get("g2_winner"))]
    if unread:
        what = "a score (-1)" if _is_alone(rows[0]) else "a winner (error)"
        questions = list(dict.fromkeys(row[QUESTION] for row in unread))
        found = f"{file.source} has {count(len(unread), 'judgment')} without {what}, of question {listing(questions)}"
        shell = f"jq -c 'select([.{QUESTION}] | inside({json.dumps(questions)}) | not)' {shlex.quote(file.source)}"
        sentence = "{found}; judge these again, or leave the questions out for all systems{as_with:{shell}}"
        raise unusable(sentence, found=found, shell=f"{shell} > judged.jsonl")


def _place(file: LogFile, row: Mapping[str, Any]) -> str:
    return f"{file.source}, question {row[QUESTION]!r}, turn {row[TURN]!r}"


def _is_alone(row: Mapping[str, Any]) -> bool:
    return row.keys() >= ALONE


def _systems(file: LogFile) -> list[str]:
    """The systems that are judged: alone, both of one pair, or all that are judged beside one and the same."""
    rows = list(_rows(file))
    if _is_alone(rows[0]):
        return list(dict.fromkeys(str(row["model"]) for row in rows))
    pairs = list(dict.fromkeys((str(row["model_1"]), str(row["model_2"])) for row in rows))
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if len({frozenset(pair) for pair in pairs}) == 1:
        return names
    beside = [name for name in names if all(name in pair for pair in pairs)]
    if len(beside) != 1:
        found = f"{file.source} has judgments of {count(len(pairs), 'pair')} of {count(len(names), 'system')}"
        raise unusable("{found}; keep those of one pair, or those against one system", found=found)
    return [name for name in names if name not in beside]


def _claims(file: LogFile) -> bool:
    found = file.opening or {}
    return found.keys() >= ALONE | {JUDGE} or found.keys() >= BESIDE


MT_BENCH = Format(
    takes=frozenset({"metric"}),
    named=lambda name: NAME.fullmatch(name) is not None,
    claims=_claims,
    read=read,
    system=lambda file: file.part or None,
    parts=_systems,
)
