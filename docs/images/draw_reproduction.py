"""Computes the papers' tables and figures and writes the page about them.

python docs/images/draw_reproduction.py TOTALS, which examples/chunking/run.py writes with --task org --totals
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from PIL import Image

from outperform.formats import writers
from outperform.reproduction import REPRODUCTIONS, Reproduction, Reproductions, run, run_all

HERE = Path(__file__).parent
EXAMPLE = HERE.parent.parent / "examples" / "newsgroups" / "README.md"
PAPERS = {
    "sigir2016": "SIGIR'16: Bayesian Performance Comparison of Text Classifiers",
    "icdm2015": "ICDM'15: A Bayesian Hierarchical Model for Comparing Average F1 Scores",
    "acl2019": "ACL'19: Bayes Test of Precision, Recall, and F1 Measure",
}
OPENING = """\
# Reproduction

One command recomputes the tables and figures of [the three papers](explanation/papers.md) and compares every figure
with the printed one:

```console
$ outperform reproduce acl2019-table4
ACL'19 Table 4: the Bayes test of named entities, IOB2 against IOBES
──────────────────────────────────────
measure            p_h0   p_h1  accept
──────────────────────────────────────
precision  paper  0.321  0.679      H1
           ours   0.320  0.680      H1
…
```

`outperform reproduce` lists the names, `outperform reproduce all --format html -o all.html` writes everything to one
page, tables and pictures.

Every column has a tolerance, which is given below the table. A cell that differs by more from the printed figure is
marked: `*` if the reason is known, which is then given too, and `!` if not. The exit code is 3 if a cell is marked `!`
or a claim of a paper does not hold. Errors in a paper are checked on every run as well, as claims. Most of the cells
marked `*` belong to the SVM with L1 penalty, whose fit depends on its random seed, or are Bayes factors that the
papers' Markov chains estimate poorly.

This page is written by `python docs/images/draw_reproduction.py TOTALS`, with seed 0.
"""
TRAINED = """\
The corpus does not come with outperform, and its totals were not published. These are the totals of a run of
`examples/chunking/run.py` on all 14,041 sentences, with 6,321 entities of the type ORG: conditional random fields with
the paper's features, six per tag set. The paper names neither the program that trained its chunker nor its
settings. So these are results of a different chunker, whose F1 is nearly five points lower; the three decisions agree
with the paper.

If you have the corpus, one command trains the same chunkers:

```shell
pip install 'outperform[crf]'
outperform reproduce acl2019-table5 --corpus eng.train --jobs 2
```

The run above took 15 minutes with two parallel fits on two busy cores. Each finished fit is stored below
`~/.cache/outperform` (or `$XDG_CACHE_HOME/outperform`), or in `--cache DIR`. So an interrupted run resumes, and
`acl2019-table2` and `acl2019-figures1to3` need no further fits for ORG. The file has the word, its part of speech, any
other columns, and the tag in IOB1 or IOB2; it may be gzipped. A file of totals by fold is accepted too."""


def main(totals: str) -> None:
    """Run, draw and write."""
    result = run_all()
    found = {own.name: own for own in (*result.each, run("acl2019-table5", corpus=totals))}
    pages = [OPENING.strip(), _overview(result)]
    for paper, title in PAPERS.items():
        pages.append(f"## {title}")
        pages += [text for name in REPRODUCTIONS if name.startswith(paper) for text in _section(found[name])]
    pages.append(_from_raw_text())
    (HERE.parent / "reproduction.md").write_text(folded("\n\n".join(pages)) + "\n", encoding="utf-8")


def folded(page: str) -> str:
    """Fold long tables; HTML ends at an empty line, after which Markdown goes on."""

    def fold(table: re.Match[str]) -> str:
        rows = table.group().count("\n") - 2
        return f"<details><summary>The table, {rows} lines</summary>\n\n{table.group()}\n</details>\n"

    return re.sub(r"(?:^\|.*\n){24,}", fold, page, flags=re.MULTILINE)


def _overview(result: Reproductions) -> str:
    overview = result.tables()[0]
    table = writers.markdown(replace(overview, caption=str(result)))
    return f"## All at once\n\n{table}"


def _section(own: Reproduction) -> Iterator[str]:
    """A heading, the table and what is said of it, and the pictures."""
    for table in own.tables():
        title = table.caption.split(": ", 1)[1]
        yield f"### {own.name}"
        yield writers.markdown(replace(table, caption=title[0].upper() + title[1:], signature=""))
    for number, picture in enumerate(own.pictures, start=1):
        file = HERE / f"reproduction-{own.name}-{number}.png"
        drawn = BytesIO()
        picture.figure().savefig(drawn, dpi=100)
        Image.open(drawn).convert("RGB").quantize(48).save(file, optimize=True)
        yield f"![{picture.caption}](images/{file.name})"
    if own.name == "acl2019-table5":
        yield TRAINED


def _from_raw_text() -> str:
    """What came out of the example, as its own page says."""
    found = re.search(r"^## What came out\n\n(.*?)(?=^## |\Z)", EXAMPLE.read_text(encoding="utf-8"), re.M | re.S)
    assert found
    return f"## From raw text\n\n{found[1].strip()}"


assert len(PAPERS) == len({name.split("-")[0] for name in REPRODUCTIONS})
if __name__ == "__main__":
    main(sys.argv[1])
