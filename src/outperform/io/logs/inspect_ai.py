"""Inspect AI: .json logs, and .eval logs, which are ZIP archives of the same JSON in parts.

An archive has a header.json once the run has ended, a summaries.json with the scores of all samples, and a file for
each sample and epoch: samples/<id>_epoch_<n>.json, or a folder of that name with sample.json and metadata.json.

Where a sample was run in several epochs, the task says how their scores become one, by the mean if it says nothing.
Under the mean epochs are runs, each of which counts. Under any other reducer the log has the reduced scores, and these
count.
"""

from __future__ import annotations

import io
import re
import zlib
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import fsum, isnan
from struct import unpack
from typing import Any, BinaryIO, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

from outperform.base.errors import DataError, count, listing, need, unusable
from outperform.io.files import MOST_BYTES, too_large
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, group, mapping, number, parse, preferred, same

__all__ = ["INSPECT", "unpacked_size"]

LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partly correct, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # in any case
MEANS = ("accuracy", "mean")  # metrics of Inspect that are means of the scores
NAME = re.compile(r".+\.eval|\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d.*\.json(\.gz)?")
HEADER, START, SUMMARIES, REDUCED = "header.json", "_journal/start.json", "summaries.json", "reductions.json"
SAMPLE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)")
MEAN = "mean"
NAMED = 30  # bytes of a member before its name; the last four are the lengths of the name and of what follows it
OPENING = 100  # characters of an input that tell whether two samples are the same


def read(file: LogFile, choice: Choice) -> Run:
    """The scores of one scorer, for each sample and epoch."""
    header = _header(file)
    status = header.get("status", "started")
    if status != "success":
        raise DataError(
            f"{file.source} is of a run whose status is {status!r}, so that samples may be missing; "
            "finish it first, as with: inspect eval-retry"
        )
    samples = list(_samples(file, whole=choice.cluster is not None))
    if not samples:
        raise DataError(f"{file.source} holds no samples; give a log that was written with its samples")
    values = {(sample["id"], sample["epoch"]): _values(sample) for sample in samples}
    if len(values) < len(samples):
        often = Counter((sample["id"], sample["epoch"]) for sample in samples)
        twice = dict.fromkeys(item for (item, _), n in often.items() if n > 1)
        raise DataError(f"{file.source} has a sample twice in the same epoch: {listing(twice)}; keep one")
    known = list(dict.fromkeys(name for by_metric in values.values() for name in by_metric))
    several = max(sample["epoch"] for sample in samples) > 1
    names = {reduced.name: reduced for reduced in _reduced(header, known, several=several)}
    chosen = names[choose("metric", _asked(choice.metric, names), names, file.source)]
    metric = chosen.metric
    _check_complete(file, samples, metric)
    groups, contents = {}, {}
    for sample in samples:
        where = f"{file.source}, sample {sample['id']!r}"
        if choice.cluster is not None:
            groups[sample["id"]] = group(sample.get("metadata"), choice.cluster, where)
        text = sample.get("input")
        if isinstance(text, str) and not text.startswith("attachment://"):
            contents[sample["id"]] = " ".join(text.split())[:OPENING]
    runs: dict[Hashable, dict[int, float]] = {}
    for (item, epoch), by_metric in values.items():
        runs.setdefault(item, {})[epoch] = number(_as_number(by_metric[metric]), f"{file.source}, sample {item!r}")
    scores = _by_epoch(file, runs) if chosen.reducer == MEAN else _reductions(file, header, chosen, list(runs))
    _check_reported(
        file, header, chosen, [score for by_epoch in scores.values() for score in by_epoch], several=len(names) > 1
    )
    return Run(file.source, chosen.name, scores, groups, contents)


class Reduced(NamedTuple):
    """A scorer, or scorer/key, and how the scores of several epochs become one."""

    metric: str
    reducer: str

    @property
    def name(self) -> str:
        """Name of the measure."""
        return self.metric if self.reducer == MEAN else f"{self.metric} ({self.reducer})"


def _asked(metric: str | tuple[str, ...] | None, names: Mapping[str, Reduced]) -> str | None:
    """Return the measure that is asked for, which may be named by its scorer alone, or whole, as in match (mean)."""
    whole = {f"{reduced.metric} ({reduced.reducer})": name for name, reduced in names.items()}
    asked = preferred(metric, [*names, *(reduced.metric for reduced in names.values()), *whole])
    alone = [name for name, reduced in names.items() if reduced.metric == asked]
    return alone[0] if len(alone) == 1 else whole.get(str(asked), asked)


def _reduced(header: dict[str, Any], metrics: Sequence[str], *, several: bool) -> Iterator[Reduced]:
    """The measures to choose from; with one epoch there is nothing to reduce."""
    said = (header["eval"].get("config") or {}).get("epochs_reducer") if several else None
    reducers = [said] if isinstance(said, str) else said or [MEAN]
    return (Reduced(metric, str(reducer)) for metric in metrics for reducer in reducers)


def _reductions(
    file: LogFile, header: dict[str, Any], chosen: Reduced, items: Sequence[Hashable]
) -> dict[Hashable, list[float]]:
    """The reduced score of each sample, as Inspect has it."""
    found = _member_of(file, REDUCED) if file.packed else header.get("reductions")
    scorer, _, key = chosen.metric.partition("/")
    scores: dict[Hashable, list[float]] = {}
    for part in found if isinstance(found, list) else ():
        if part.get("scorer") == scorer and part.get("reducer") == chosen.reducer:
            for sample in part["samples"]:
                value, where = sample.get("value"), f"{file.source}, sample {sample.get('sample_id')!r}"
                value = value.get(key) if isinstance(value, dict) else value
                scores[sample.get("sample_id")] = [number(_as_number(value), where)]
    if set(scores) != set(items):
        raise DataError(
            f"{file.source} reduces the scores of epochs by {chosen.reducer!r} and does not hold what comes out for "
            "every sample; score it again, as with: inspect score"
        )
    return {item: scores[item] for item in items}


def _check_reported(
    file: LogFile, header: dict[str, Any], chosen: Reduced, scores: Sequence[float], *, several: bool
) -> None:
    """Check that the mean of the scores is what Inspect reports, which a task may compute in its own way.

    `several` says that there are other scores to choose.
    """
    scorer, _, key = chosen.metric.partition("/")
    found = mapping(header.get("results")).get("scores")
    said = [
        (name, mapping(mapping(part.get("metrics")).get(name)).get("value"))
        for part in (found if isinstance(found, list) else ())
        if (part.get("scorer"), part.get("name")) == (scorer, key or scorer)
        and (part.get("reducer") or MEAN) == chosen.reducer
        for name in MEANS
    ]
    reported = [(name, value) for name, value in said if isinstance(value, int | float)]
    mean = fsum(scores) / len(scores)
    if reported and not any(same(value, mean) for _, value in reported):
        name, value = reported[0]
        found = (
            f"{file.source}: Inspect reports {name} {value:.4g} of {chosen.metric!r}, and the mean of its scores is "
            f"{mean:.4g}: the task converts its scores to numbers in its own way"
        )
        other = "choose another with {metric}" if several else "compare the numbers themselves, as scores in a table"
        raise unusable(f"{{found}}; {other}", found=found)


def _by_epoch(file: LogFile, runs: dict[Hashable, dict[int, float]]) -> dict[Hashable, list[float]]:
    """The scores of each sample in the order of the epochs, which are the same for all."""
    epochs = sorted({epoch for by_epoch in runs.values() for epoch in by_epoch})
    short = [item for item, by_epoch in runs.items() if len(by_epoch) < len(epochs)]
    if short:
        raise DataError(
            f"{file.source}: not every sample was run in all of the epochs {listing(epochs)}: {listing(short)}; "
            "finish the run, so that each sample has as many scores"
        )
    return {item: [by_epoch[epoch] for epoch in epochs] for item, by_epoch in runs.items()}


def _check_complete(file: LogFile, samples: list[dict[str, Any]], metric: str) -> None:
    """Check that no sample ended in an error, and that all have a score."""
    broken = dict.fromkeys(sample["id"] for sample in samples if sample.get("error") is not None)
    if broken:
        raise DataError(
            f"{file.source}: {count(len(broken), 'sample')} ended in an error: {listing(broken)}; "
            "run them again, as with: inspect eval-retry"
        )
    unscored = dict.fromkeys(sample["id"] for sample in samples if _unscored(_values(sample).get(metric)))
    if unscored:
        raise DataError(
            f"{file.source}: {count(len(unscored), 'sample')} without a score of {metric!r}: {listing(unscored)}; "
            "score them, as with: inspect score"
        )


def _as_number(value: object) -> object:
    """The number of a text, as Inspect's own metrics read it: a letter grade, yes or no, or a number."""
    if not isinstance(value, str):
        return value
    if value in LETTERS:
        return LETTERS[value]
    if (word := value.lower()) in WORDS:
        return WORDS[word]
    with suppress(ValueError):
        return float(value)
    return value


def _unscored(value: object) -> bool:
    """No value, or the NaN that Inspect gives to what could not be scored."""
    return value is None or (isinstance(value, float) and isnan(value))


def _values(sample: dict[str, Any]) -> dict[str, object]:
    """Values by scorer; where a scorer gives several, by scorer/key."""
    scores = sample.get("scores")
    if "score" in sample and not scores:
        scores = {"score": sample["score"]}  # old logs have one scorer, without a name
    found: dict[str, object] = {}
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        found |= {f"{scorer}/{key}": v for key, v in value.items()} if isinstance(value, dict) else {scorer: value}
    return found


def _samples(file: LogFile, *, whole: bool) -> Iterator[dict[str, Any]]:
    """Samples, whole or, where the log has them, as summaries, which hold the scores and not all metadata."""
    listed = None if file.packed else file.document.get("samples")
    found = _unpacked(file, whole=whole) if file.packed else listed if isinstance(listed, list) else ()
    for k, sample in enumerate(found, start=1):
        known = isinstance(sample, dict) and isinstance(sample.get("id"), int | str)
        if not known or not isinstance(sample.setdefault("epoch", 1), int):
            raise DataError(f"{file.source}: sample {k} has no id and epoch; a log of Inspect is expected")
        yield sample


def _unpacked(file: LogFile, *, whole: bool) -> Iterator[Any]:
    """Samples of an archive."""
    with _archive(file) as archive:
        names = list(dict.fromkeys(archive.namelist()))  # a file that was written again is listed again
        wanted = _scored(names, whole=whole)
        _check_size(file, archive, wanted)
        for name in wanted:
            member = _member(file, archive, name)
            if name == SUMMARIES:
                yield from member if isinstance(member, list) else ()
                continue
            beside = name.replace("/sample.json", "/metadata.json")
            if beside != name and beside in names and isinstance(member, dict):
                member |= {"metadata": _member(file, archive, beside)}
            yield member


def _scored(names: Sequence[str], *, whole: bool) -> list[str]:
    """The files of an archive that hold the scores."""
    return [SUMMARIES] if SUMMARIES in names and not whole else list(filter(SAMPLE.fullmatch, names))


def unpacked_size(file: LogFile) -> int:
    """Return the bytes that are unpacked of an archive for its scores."""
    with _archive(file) as archive:
        names = list(dict.fromkeys(archive.namelist()))
        read = [name for name in (HEADER, START, REDUCED) if name in names] + _scored(names, whole=False)
        return sum(archive.getinfo(name).file_size for name in read)


def _header(file: LogFile) -> dict[str, Any]:
    """Read a log without its samples."""
    if file.packed:
        with _archive(file) as archive:
            name = next((name for name in (HEADER, START) if name in archive.namelist()), None)
            header = None if name is None else _member(file, archive, name)
    else:
        header = file.document
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise DataError(f"{file.source} is no log of Inspect; one has 'eval', with the task and the model")
    return header


def _archive(file: LogFile) -> ZipFile:
    """The archive, open."""
    try:
        return ZipFile(file.opened() if isinstance(file.sent, bytes) else file.path)
    except (BadZipFile, OSError) as error:
        raise DataError(f"{file.source} is a damaged .eval log ({error}); copy it again") from None


def _member_of(file: LogFile, name: str) -> Any:
    """One file of an archive; None where it is not there."""
    with _archive(file) as archive:
        return _member(file, archive, name) if name in archive.namelist() else None


def _check_size(file: LogFile, archive: ZipFile, names: Sequence[str]) -> None:
    """Check that the parts fit in memory; none unpacks to more than the archive says."""
    size = sum(archive.getinfo(name).file_size for name in names)
    if file.most is not None and size > file.most:
        raise too_large(f"{file.source} unpacks to more than {file.most / 1e6:,.3g} MB")
    if size > MOST_BYTES:
        found = f"{file.source} unpacks to more than {MOST_BYTES // 2**30} GiB"
        advice = "leave {cluster} out, for which all of the samples are read, or write the scores to a table"
        raise unusable("{found}; " + advice, found=found)


def _member(file: LogFile, archive: ZipFile, name: str) -> Any:
    """One file of the archive."""
    _check_size(file, archive, [name])
    try:
        data = _read(file, archive, name)
    except ImportError:
        raise DataError(
            f"{file.source} is packed with zstd; run: pip install 'outperform[logs]', "
            f"or convert it with: inspect log convert {file.source} --to json --output-dir json"
        ) from None
    except (BadZipFile, EOFError, OSError, RuntimeError, zlib.error) as error:
        raise DataError(f"{file.source} is a damaged .eval log ({error}); copy it again") from None
    return parse(data, f"{file.source}, {name}")


def _read(file: LogFile, archive: ZipFile, name: str) -> bytes:
    """Unpack one file of the archive, by zstd where `zipfile` does not know it."""
    try:
        return archive.read(name)
    except NotImplementedError:
        with file.opened() as raw:
            return _by_zstd(raw, archive.getinfo(name))


def _by_zstd(archive: BinaryIO, member: ZipInfo) -> bytes:
    """Unpack one file of an archive, up to the size that the archive says; zipfile knows zstd from Python 3.14 on."""
    zstandard = need("zstandard", "logs")
    archive.seek(member.header_offset)
    name, extra = unpack("<HH", archive.read(NAMED)[-4:])
    archive.seek(name + extra, io.SEEK_CUR)
    packed = archive.read(member.compress_size)
    try:
        reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed))
        data: bytes = reader.read(member.file_size + 1)
    except zstandard.ZstdError as error:
        raise BadZipFile(str(error)) from None
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise BadZipFile(f"bad checksum of {member.filename}")
    return data


def _said(file: LogFile, key: str) -> str | None:
    """An entry of the header's eval section."""
    value = _header(file)["eval"].get(key)
    return value if isinstance(value, str) and value else None


INSPECT = Format(
    takes=frozenset({"metric", "task", "cluster"}),
    named=lambda name: NAME.fullmatch(name) is not None,
    claims=lambda file: file.packed or "task" in mapping((file.opening or {}).get("eval")),
    read=read,
    task=lambda file: _said(file, "task"),
    system=lambda file: _said(file, "model"),
)
