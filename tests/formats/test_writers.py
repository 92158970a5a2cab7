"""LaTeX that compiles, Markdown that renders, CSV that comes back, and the gate that posts them."""

from __future__ import annotations

import csv
import io
import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
import yaml  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from rich.cells import cell_len

import outperform as op
from outperform.formats import escaping, writers
from outperform.formats.plain import encodable, without_drawings
from outperform.formats.table import Column, Table
from tests.command import run
from tests.docs.test_public import FENCE, ROOT
from tests.latex import ENGINES, compiled, read_latex
from tests.samples import RESULTS

NAMES = [
    "", "%", "_", "__a__", "a&b", "&amp;", "&#64;", "$", "$x$", "#", "#1", "{", "}", "~", "~~a~~", "^", "\\", "\\\\",
    "\\textbf{a}", "<script>alert(1)</script>", "<!-- a", "</td>", '"', "'", "''", "`", "``a`", "--", "---", "-–", ",,",
    "?`", "!`", "*", "*a*", "**", "[1]", "[a](b)", "![a](b)", "|", "a|b", "@nobody", "a@b.org", "http://a.org",
    "www.a.org", "1. a", "- a", "+ a", "> a", "=1+1", "a − b ≪ c", "α ± 2σ²", "“a” – ’b’ … ½", "Ünïcödé", "😀", "שלום",
    "日本語", "e\u0301", "a\u200db",
]  # fmt: skip


def sample(name: str) -> Table:
    """The name everywhere, and numbers beside it."""
    columns = [Column(name, "l"), Column(name), Column("n", "c")]
    rows = [[name, "-0.250", "1.2e-09"], ["b", name, "[-0.1, +0.2]"]]
    return Table(columns, rows, f"of {name}", f"outperform:1|{name}", [name or "nothing"], f"{name} ≫ b")


@pytest.fixture(scope="module")
def table_4() -> op.PerClass[op.Comparison]:
    """SIGIR'16 Table 4."""
    news = op.datasets.newsgroups()
    two = {name: news.predictions[name] for name in ("nb_bern", "nb_mult")}
    r = op.compare(news.truth, two, average="per_class", rope=0.05, rng=0)
    assert isinstance(r, op.PerClass)
    return r


# LaTeX

BEYOND = "XeLaTeX or LuaLaTeX"


def test_table_4_has_the_layout_of_the_paper(table_4: op.PerClass[op.Comparison]) -> None:
    (read,) = read_latex(table_4.to_latex())
    (table,) = table_4.tables()
    assert read.groups == [("", 1), ("frequentist", 2), ("Bayesian", 6), ("", 1)]
    assert read.rules == [r"\cmidrule2-3", r"\cmidrule4-9", r"\midrule"]
    assert read.rows[0] == [column.header for column in table.columns]
    powers = [[re.sub(r"×10\^\{(.*)\}", r"e\1", cell).replace("−", "-") for cell in row] for row in read.rows[1:]]
    assert powers == [[re.sub(r"e([-+])0+", r"e\1", cell) for cell in row] for row in table.rows]
    assert read.caption == "Δf1 = nb_bern − nb_mult, ROPE [−0.050, +0.050]"
    assert read.comments == [r"\usepackage{booktabs}", *table.remarks, table_4.signature]


@pytest.mark.parametrize("engine", ENGINES)
def test_table_4_compiles(engine: str, table_4: op.PerClass[op.Comparison], tmp_path: Path) -> None:
    assert compiled(engine, table_4.to_latex(), tmp_path).stat().st_size > 5_000


@pytest.mark.parametrize("engine", ENGINES)
def test_any_name_compiles(engine: str, tmp_path: Path) -> None:
    tables = [writers.latex(sample(name)) for name in [*NAMES, "x" * 10_000, "x y " * 2_500, "\x1b[31m", "a\nb"]]
    if engine == "pdflatex":
        tables = [table for table in tables if BEYOND not in table]
        assert len(tables) > 50
    compiled(engine, "\n\\clearpage\n".join(tables), tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_latex_says_the_name(name: str) -> None:
    written = writers.latex(sample(name))
    (read,) = read_latex(written)
    assert read.caption == f"of {name}".rstrip()
    assert [row[0] for row in read.rows] == [name, name, "b"]
    assert [row[1] for row in read.rows] == [name, "−0.250", name]
    assert [row[2] for row in read.rows] == ["n", "1.2×10^{−9}", "[−0.1, +0.2]"]
    needs, *said = read.comments
    assert said == [name or "nothing", f"outperform:1|{name}"]
    known = name.isascii() or name in ("-–", "a − b ≪ c", "α ± 2σ²")
    assert (BEYOND in needs) != known


@pytest.mark.parametrize("kind", RESULTS)
def test_our_own_signs_are_known_to_every_engine(kind: str) -> None:
    for line in RESULTS[kind]("a").to_latex().splitlines():
        assert line.isascii() or line.lstrip().startswith("%")


def test_comments_stay_comments() -> None:
    rude = "a\n\\end{document}\r\n\x0b\x85\u2028\\input{x}"
    written = writers.latex(Table([Column("x")], [["1"]], "c", rude, [rude]))
    assert [line for line in written.splitlines() if "input" in line] == [
        r"  % a \end{document} \input{x}",
        r"  % a \end{document} \input{x}",
    ]


@pytest.mark.parametrize(
    "broken",
    [
        r"\caption{a_b}", r"\caption{a%b}", r"\caption{a&b}", r"\caption{a#b}", r"\caption{a^b}", r"\caption{a~b}",
        r"\caption{$x}", r"\caption{a{b}", r"\caption{a}}", r"\caption{\input{x}}", r"\caption{a--b}",
        r"\caption{a < b}", r'\caption{"}', r"\caption{$\frac$}", r"\caption{\textbar}", "\\caption{a\x1bb}",
        r"\input{x}",
        r"\begin{tabular}{lr}\toprule a \\ \bottomrule\end{tabular}",
        r"\begin{tabular}{l}\toprule a & b \\ \bottomrule\end{tabular}",
        r"\begin{tabular}{l}\toprule a \\ [b] \\ \bottomrule\end{tabular}",
        r"\begin{tabular}{l}\toprule *a \\ \bottomrule\end{tabular}",
        r"\begin{tabular}{l}\toprule a \bottomrule\end{tabular}",
        r"\begin{tabular}{l}\toprule a \\ \bottomrule",
        r"\begin{tabular}{p}\toprule a \\ \bottomrule\end{tabular}",
    ],
)  # fmt: skip
def test_the_reader_of_latex_is_strict(broken: str) -> None:
    read_latex("\\begin{table}\n\\caption{a}\n\\end{table}")
    with pytest.raises(AssertionError):
        read_latex(f"\\begin{{table}}\n{broken}\n\\end{{table}}")


# Markdown


def rendered(written: str) -> str:
    return str(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(written))


def cells(page: str) -> list[list[str]]:
    """Texts of a table's cells, as a browser shows them."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [[text_of(cell) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)] for row in rows]


def text_of(fragment: str) -> str:
    plain = re.sub(r"<!-- -->|</?(?:span|strong|sub|code|p)>", "", fragment)
    assert "<" not in plain
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        plain = plain.replace(entity, character)
    return plain


@pytest.mark.parametrize("name", NAMES)
def test_markdown_shows_the_name(name: str) -> None:
    written = writers.markdown(sample(name))
    page = rendered(written)
    assert cells(page) == [[name, name, "n"], [name, "-0.250", "1.2e-09"], ["b", name, "[-0.1, +0.2]"]]
    outside = [text_of(line) for line in re.sub(r"<table>.*</table>\n", "", page, flags=re.DOTALL).splitlines()]
    assert outside == [f"{name} ≫ b".strip(), f"of {name}".strip(), name or "nothing", f"outperform:1|{name}"]
    assert page.startswith("<p><strong>")
    assert page.count("<p>") == 4


def test_markdown_makes_no_links_and_mentions_nobody() -> None:
    written = escaping.markdown("@nobody a@b.org http://a.org https://b.org www.c.org #12 $x$")
    assert not re.search(r"@\w|://|www\.|#\d|(?<!<span>)\$", written)
    assert text_of(written) == "@nobody a@b.org http://a.org https://b.org www.c.org #12 $x$"


def test_a_comment_begins_with_the_verdict() -> None:
    r = RESULTS["comparison"]("a")
    assert isinstance(r, op.Comparison)
    assert r.decision is not None
    first, second, *_, last = rendered(r.to_markdown()).splitlines()
    assert text_of(first) == f"{op.results.card_of(r).verdict} (a < b)"
    assert first.startswith("<p><strong>")
    assert text_of(second) == op.results.card_of(r).next
    assert last == f"<p><sub><code>{r.signature}</code></sub></p>"
    without = r.with_rope(None).to_markdown()
    assert without.startswith("**P(b scores higher) = 95.5%; no verdict without a margin")


def test_a_comment_counts_verdicts(table_4: op.PerClass[op.Comparison]) -> None:
    lead = text_of(rendered(table_4.to_markdown()).splitlines()[0])
    counts = Counter(row.decision.symbol for row in table_4 if row.decision)
    assert lead == (
        f"Of 20 classes, nb_bern against nb_mult: better in {counts['≫']}, worse in {counts['≪']}; "
        f"{counts['<']} unresolved ({counts['<']} leaning towards nb_mult)."
    )
    assert sum(counts.values()) == 20
    without = table_4.with_rope(None).to_markdown()
    assert without.startswith(r"**Of 20 classes, nb\_bern against nb\_mult: ahead in ")
    assert "no ROPE" in without


def test_other_leads() -> None:
    assert (
        RESULTS["sensitivity"]("a")
        .to_markdown()
        .startswith("**Of 2 priors, a against b: 2 unresolved (2 leaning towards b).**")
    )
    assert (
        RESULTS["Bayes tests"]("a")
        .to_markdown()
        .startswith("**Of 2 measures, a against new: 2 unresolved (2 leaning towards new).**")
    )
    assert RESULTS["several estimates"]("a").to_markdown().startswith("**f1 of 2 classifiers**")
    assert RESULTS["estimate"]("a").to_markdown().startswith("**f1 of a**")
    assert (
        RESULTS["ranking"]("a")
        .to_markdown()
        .startswith("**c comes first, P(best) = 83.5%; not distinguishable from it: b, a**")
    )
    assert RESULTS["plan"]("a").to_markdown().startswith("**No more items needed to show that a is better than b**")
    assert RESULTS["folds"]("a").to_markdown().startswith("**unresolved, leans towards a (")


def test_a_comment_is_signed_once() -> None:
    for kind in ("macro average", "ranking", "plan", "data sets"):
        r = RESULTS[kind]("a")
        assert len(r.tables()) > 1 or kind == "plan"
        assert r.to_markdown().count("<sub>") == 1


# CSV


def test_csv_comes_back() -> None:
    names = [*NAMES, "a\nb", "a\rb", "a\r\nb", 'a"b', "a,b", "a;b", " a ", "-a", "\ta", "@SUM(A1)", "\x1b[31m", "\x00"]
    records = [{"name": name, "score": 1 / (3 + k), "none": None, "count": k} for k, name in enumerate(names)]
    written = writers.csv(records)
    back = list(csv.DictReader(io.StringIO(written, newline=""), strict=True))
    assert [row["name"] for row in back] == names
    assert [float(row["score"]) for row in back] == [record["score"] for record in records]
    assert {row["none"] for row in back} == {""}
    frame = pd.read_csv(io.StringIO(written, newline=""), keep_default_na=False, na_values={"none": [""]})
    assert frame["name"].tolist() == names
    assert frame["score"].tolist() == [record["score"] for record in records]
    assert frame["count"].tolist() == list(range(len(names)))
    assert frame["none"].isna().all()


def test_csv_has_every_column_of_every_record() -> None:
    assert writers.csv([{"a": 1}, {"b": 2.5, "a": None}]) == "a,b\n1,\n,2.5"


# Text


def test_wide_characters_line_up() -> None:
    rows = [[name, "1.0"] for name in ("a", "日本語", "😀", "e\u0301", "שלום", "x" * 60)]
    lines = writers.text(Table([Column("name", "l"), Column("n")], rows, "c")).splitlines()[1:-1]
    assert {cell_len(line) for line in lines} == {65}


def test_text_is_cut_in_the_middle_and_steers_no_terminal() -> None:
    long = "x" * 40 + "y" * 40
    written = writers.text(
        Table([Column("name", "l")], [[long], ["\x1b[31ma\tb\x9b"]], f"of {long}", "s|" + long, [long])
    )
    shown = "x" * 30 + "…" + "y" * 29
    assert written.splitlines() == [
        f"of {shown}", "─" * 60, "name", "─" * 60, shown, r"\x1b[31ma b\x9b", "─" * 60, f"Note: {shown}", f"s|{long}",
    ]  # fmt: skip


# The gate

WORKFLOW = ROOT / "examples" / "gate" / "workflow.yml"


@pytest.fixture
def steps() -> dict[str, str]:
    """What the workflow runs, by the name of the step."""
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    return {step["name"]: step["run"] for step in jobs["gate"]["steps"] if "name" in step}


def write_predictions(path: Path, *, better: bool) -> None:
    """The columns gold, new and old; the new model is much better, or much worse."""
    models = [[1] * 360 + [0] * 40 + [1] * 30 + [0] * 570, [1] * 320 + [0] * 80 + [1] * 40 + [0] * 560]
    rows = zip([1] * 400 + [0] * 600, *(models if better else models[::-1]), strict=True)
    path.write_text("gold,new,old\n" + "".join(f"{g},{n},{o}\n" for g, n, o in rows), encoding="utf-8")


def test_the_workflows_are_those_on_the_page() -> None:
    page = (ROOT / "docs" / "howto" / "gate.md").read_text(encoding="utf-8")
    examples = [WORKFLOW.with_name(name).read_text(encoding="utf-8") for name in ("action.yml", WORKFLOW.name)]
    assert [block for language, block in FENCE.findall(page) if language == "yaml"] == examples


def test_the_workflow_may_comment_and_always_reports() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert workflow["permissions"]["pull-requests"] == "write"
    report = workflow["jobs"]["gate"]["steps"][-1]
    assert "!cancelled()" in report["if"]
    assert "hashFiles('comment.md')" in report["if"]
    assert "continue-on-error" not in workflow["jobs"]["gate"]["steps"][-2]


@pytest.mark.parametrize("better", [True, False])
def test_the_gate_writes_its_comment_before_it_closes(
    better: bool, steps: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_predictions(Path("preds.csv"), better=better)
    program, *words = shlex.split(steps["Compare"])
    assert program == "outperform"
    result = run(*words)
    assert result.exit_code == (0 if better else 3)
    lead = Path("comment.md").read_text(encoding="utf-8").splitlines()[0]
    assert lead == ("**new is better than old (new ≫ old)**" if better else "**new is worse than old (new ≪ old)**")


def test_the_gate_posts_its_comment(steps: dict[str, str], tmp_path: Path) -> None:
    """The last step runs as written, with a `gh` that notes what it was asked."""
    (tmp_path / "comment.md").write_text("**a ≫ b**\n", encoding="utf-8")
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$*" > asked\nexit "$ANSWER"\n', encoding="utf-8")
    gh.chmod(0o755)
    for answer, warned in (("0", ""), ("1", "::warning::the comment could not be posted\n")):
        environment = {
            "PATH": f"{tmp_path}:/usr/bin:/bin",
            "PR": "7",
            "GITHUB_STEP_SUMMARY": "summary",
            "ANSWER": answer,
        }
        done = subprocess.run(
            ["bash", "-e", "-c", steps["Report"]],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=True,
            text=True,
        )
        assert done.stdout == warned
    assert (tmp_path / "asked").read_text() == "pr comment 7 --edit-last --create-if-none --body-file comment.md\n"
    assert (tmp_path / "summary").read_text(encoding="utf-8") == "**a ≫ b**\n" * 2


def test_bad_input_leaves_nothing_to_post(
    steps: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*shlex.split(steps["Compare"])[1:]).exit_code == 2
    assert not Path("comment.md").exists()


def test_signs_in_ascii_keep_columns_aligned_and_bars_readable() -> None:
    assert encodable("≈   ≫  x\n~   ~  x", "text", "ascii") == "~=  >> x\n~   ~  x"
    assert encodable("svm ≫ nb", "text", "ascii") == "svm >> nb"
    text = "same  98%  ███▍\n\n ▁█▂\n ━━━\n\nlast"
    assert encodable(without_drawings(text, "ascii"), "text", "ascii") == "same  98%  ###\n\nlast"
    assert without_drawings(text, "utf-8") == text
