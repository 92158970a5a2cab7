"""Several verdicts at once: how many are expected to be wrong, how many arise by chance, and which ones `fdr` keeps."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import exp, inf, nan, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import outperform as op
from outperform.verdicts.several import ALL_EQUAL, SHARES, SPREADS, Finding, TwoGroups, settle
from tests.command import run

ROPE = (-0.01, 0.01)


def finding(mean: float, sd: float, rope: tuple[float, float] = ROPE, mass: float = 0.95) -> Finding:
    """Return the finding of a normal posterior."""
    normal = stats.norm(mean, sd)
    low, high = normal.interval(mass)
    name = op.decide((low, high), rope)
    return Finding(name, mean, sd, (low, high), rope, float(normal.cdf(rope[0])), float(normal.sf(rope[1])))


def sliced(seed: int, slices: int = 20, size: int = 150, worse: int = 0) -> dict[str, Any]:
    """Return two systems that are equal in all slices except the first ones."""
    rng = np.random.default_rng(seed)
    by = np.repeat(np.arange(slices), size)
    y = rng.random(len(by)) < 0.4
    a, b = (np.where(y, rng.random(len(y)) < 0.8, rng.random(len(y)) < 0.05) for _ in "ab")
    b &= (by >= worse) | (rng.random(len(y)) < 0.4)
    return {"data": y.astype(int), "predictions": {"a": a.astype(int), "b": b.astype(int)}, "by": by}


@pytest.fixture(scope="module")
def r() -> op.BySlice:
    result: op.BySlice = op.compare(**sliced(3, worse=2), rope=0.01, draws=2_000, rng=0)
    return result


@pytest.fixture(scope="module")
def few() -> op.BySlice:
    result: op.BySlice = op.compare(**sliced(3, worse=2), rope=0.01, fdr=0.05, draws=2_000, rng=0)
    return result


@pytest.fixture(scope="module")
def scores() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {f"s{k}": rng.normal(0.5 if k == 0 else 0.06 * k, 1, 400) for k in range(8)}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    study = sliced(3, worse=2)
    path: Path = tmp_path_factory.mktemp("several") / "preds.csv"
    rows = zip(study["data"], *study["predictions"].values(), study["by"], strict=True)
    path.write_text("gold,a,b,part\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    return str(path)


def test_rows_that_learned_are_judged_by_their_own_draws() -> None:
    rows = [finding(0.2, 0.05), finding(-0.3, 0.1), finding(0.0, 0.004), finding(0.05, 0.05)]
    assert [row.name for row in rows] == ["better", "worse", "equivalent", "slightly_better"]
    found = settle(rows, learned=True)
    z = stats.norm
    expected = (z.cdf(0.01, 0.2, 0.05), z.sf(-0.01, -0.3, 0.1), 2 * z.sf(0.01, 0, 0.004), None)
    assert found.p_wrong == pytest.approx(expected)
    assert found.verdicts.expected_wrong == pytest.approx(sum(p for p in expected if p is not None))
    assert (found.verdicts.rows, found.verdicts.given, found.given) == (4, 3, (True, True, True, False))


def test_of_error_rates_the_smaller_is_better() -> None:
    rows = [replace(finding(0.2, 0.05), name="worse"), replace(finding(-0.2, 0.05), name="better")]
    same = settle([finding(0.2, 0.05), finding(-0.2, 0.05)], learned=False)
    for learned in (False, True):
        found = settle(rows, learned=learned, greater_is_better=False)
        assert found.p_wrong == settle([finding(0.2, 0.05), finding(-0.2, 0.05)], learned=learned).p_wrong
    assert same.verdicts == settle(rows, learned=False, greater_is_better=False).verdicts


def test_the_model_of_two_groups_by_quadrature() -> None:
    """The same sums with each integral computed by SciPy: densities of x, and the share of δ in an interval."""
    x, s = np.array([0.12, -0.03, 0.0, 0.02]), np.array([0.04, 0.05, 0.03, 0.06])
    low, high = np.array([0.01, -inf, -0.01, -0.01]), np.array([inf, -0.01, 0.01, 0.01])
    groups = TwoGroups.of(x, s)
    scale = np.exp(np.log(s).mean())
    centres = np.linspace(min(x.min(), -scale), max(x.max(), scale), 41)
    step = centres[1] - centres[0]
    whole, inside = 0.0, np.zeros(4)

    def at(k: int, m: float, tau: float) -> tuple[float, float]:
        """Return the density of x, and of x with δ in the interval."""
        mean, sd = float(x[k]), float(s[k])

        def density(d: float) -> float:
            return exp(-(((mean - d) / sd) ** 2 + ((d - m) / tau) ** 2) / 2) / (2 * pi * sd * tau)

        reach = 10 * (s[k] + tau)
        left, right = min(m, x[k]) - reach, max(m, x[k]) + reach
        ends = max(low[k], left), min(high[k], right)
        points = sorted({m, x[k]})
        some = [p for p in points if ends[0] < p < ends[1]] or None
        return (
            integrate.quad(density, left, right, points=points, limit=200)[0],
            integrate.quad(density, *ends, points=some, limit=200)[0],
        )

    null = stats.norm.pdf(x, 0, s)
    at_zero = np.where(np.isfinite(high - low), null, 0)
    for m in centres[::4]:  # a part of the grid
        for tau in scale * SPREADS[1:3]:
            other, part = np.array([at(k, m, tau) for k in range(4)]).T
            weight = step / (np.pi * scale * (1 + (m / scale) ** 2) * len(SPREADS)) * (1 - ALL_EQUAL) / len(SHARES)
            for share in SHARES:
                mixed = share * null + (1 - share) * other
                like = weight * mixed.prod()
                whole += like
                inside += like * (share * at_zero + (1 - share) * part) / mixed
    chosen = np.isin(groups.m, centres[::4]) & np.isin(groups.tau, scale * SPREADS[1:3])
    subset = groups.weight[:, chosen]
    part = TwoGroups(groups.m[chosen], groups.tau[chosen], subset / subset.sum(), 0.0)
    assert part.inside(x, s, low, high) == pytest.approx(inside / whole, abs=1e-6)
    every = groups.equal * ALL_EQUAL / groups.equal  # prior odds of "all equal" against one point of the grid
    point = np.flatnonzero(chosen)[0]
    m, tau = groups.m[point], groups.tau[point]
    prior = step / (np.pi * scale * (1 + (m / scale) ** 2) * len(SPREADS)) * (1 - ALL_EQUAL) / len(SHARES)
    other = stats.norm.pdf(x, m, np.hypot(s, tau))
    assert groups.equal / groups.weight[0, point] == pytest.approx(every * null.prod() / (prior * other.prod()))
    assert groups.weight.sum() + groups.equal == pytest.approx(1)


def test_without_a_rope_equal_rows_are_wrong_on_either_side() -> None:
    rows = [finding(0.09, 0.04, (0.0, 0.0)), *(finding(x, 0.04, (0.0, 0.0)) for x in np.linspace(-0.07, 0.07, 19))]
    (wrong,) = (p for p in settle(rows, learned=False).p_wrong if p is not None)
    assert wrong > 0.5


def test_pairs_have_no_direction_and_tell_less_than_rows() -> None:
    rows = [finding(x, 0.04) for x in (0.02, 0.15, 0.2, 0.13, 0.18, -0.01)]
    pairs = settle(rows, learned=False, systems=4)
    turned = [replace(row, name="worse" if row.name == "better" else row.name, mean=-row.mean,
                      hdi=(-row.hdi[1], -row.hdi[0]), below=row.above, above=row.below) for row in rows]  # fmt: skip
    some = [turned[0], rows[1], turned[2], *rows[3:]]
    assert settle(some, learned=False, systems=4).p_wrong == pytest.approx(pairs.p_wrong, nan_ok=True)
    assert settle(some, learned=False).p_wrong != pytest.approx(settle(rows, learned=False).p_wrong, nan_ok=True)


@pytest.mark.parametrize("systems", [None, 3])
@pytest.mark.parametrize("apart", [30.0, 3e3, 3e5])
def test_verdicts_hundreds_of_standard_deviations_from_0_are_not_wrong(apart: float, systems: int | None) -> None:
    """As with a million items, where densities of the rows underflow."""
    rows = [finding(share * apart, 1.0) for share in (1 / 3, 2 / 3, 1)]
    settled = settle(rows, learned=False, systems=systems, fdr=0.05)
    assert settled.p_wrong == pytest.approx((0, 0, 0), abs=1e-9)
    assert settled.given == (True, True, True)


def test_a_difference_counts_for_less_beside_equal_rows_and_for_more_beside_others_like_it() -> None:
    one = finding(0.1, 0.04)
    beside_equal, beside_others = (
        settle([one, *(finding(x + k / 1000, 0.04) for k in range(19))], learned=False).p_wrong[0] for x in (0.0, 0.09)
    )
    alone = settle([one], learned=False).p_wrong[0]
    assert alone == pytest.approx(stats.norm.cdf(0.01, 0.1, 0.04))
    assert alone is not None
    assert beside_equal is not None
    assert beside_others is not None
    assert beside_others < alone < 0.02 < 0.5 < beside_equal


@pytest.mark.parametrize("rope", [ROPE, (0.0, 0.0), (-0.02, 0.05)])
def test_what_chance_gives_is_what_it_gives(rope: tuple[float, float]) -> None:
    """Simulate normal estimates of equal systems, and count how many are called better or worse."""
    sd, rows = np.array([0.01, 0.04, 0.1]), 20_000
    stated = settle([finding(0.3, s, rope) for s in sd], learned=False).verdicts.by_chance
    drawn = sd * np.random.default_rng(0).standard_normal((rows, 3))
    called = (drawn - 1.96 * sd >= rope[1]) | (drawn + 1.96 * sd <= rope[0])
    assert called.sum() / rows == pytest.approx(stated, abs=4 * (stated / rows) ** 0.5)


def test_rows_without_a_spread_or_barred_from_a_verdict_have_no_chance() -> None:
    point = Finding("equivalent", 0.0, 0.0, (0.0, 0.0), ROPE, 0.0, 0.0)
    barred = replace(finding(0.2, 0.05), name="undecided", barred=True)
    found = settle([point, barred], learned=False)
    assert (found.verdicts.by_chance, found.p_wrong) == (0.0, (0.0, None))


ROWS = st.lists(st.tuples(st.floats(-0.4, 0.4), st.floats(0.001, 0.2)), min_size=1, max_size=12)


@given(rows=ROWS, learned=st.booleans(), shares=st.tuples(st.floats(0.001, 0.999), st.floats(0.001, 0.999)))
def test_fdr_never_adds_a_verdict_and_a_larger_share_keeps_more(
    rows: list[tuple[float, float]], learned: bool, shares: tuple[float, float]
) -> None:
    findings = [finding(*row) for row in rows]
    every = settle(findings, learned=learned)
    few, more = (settle(findings, learned=learned, fdr=q) for q in sorted(shares))
    assert every.p_wrong == few.p_wrong == more.p_wrong
    assert np.all(np.array(few.given) <= np.array(more.given))
    assert np.all(np.array(more.given) <= np.array(every.given))
    assert every.verdicts.given == few.verdicts.given + few.verdicts.withheld
    assert few.verdicts.expected_wrong <= few.verdicts.given * min(shares) + 1e-12


@given(rows=ROWS, fdr=st.floats(0.001, 0.999))
def test_no_longer_list_is_good_enough(rows: list[tuple[float, float]], fdr: float) -> None:
    """Compare with all subsets of the verdicts."""
    found = settle([finding(*row) for row in rows], learned=False, fdr=fdr)
    wrong = [p for p in found.p_wrong if p is not None]
    good = [
        size
        for size in range(1, len(wrong) + 1)
        if min(np.mean(chosen) for chosen in combinations(wrong, size)) <= fdr * (1 - 1e-12)
    ]
    assert found.verdicts.given >= max(good, default=0)
    kept = [p for p, given in zip(found.p_wrong, found.given, strict=True) if given and p is not None]
    assert len(kept) == found.verdicts.given
    assert not kept or np.mean(kept) <= fdr * (1 + 1e-12)


@pytest.mark.parametrize("fdr", [0, 1, 5, -0.1, nan, "x", [0.1, 0.2], True])
def test_a_bad_share_is_refused(fdr: Any) -> None:
    study = sliced(0, 2, 20)
    for verb, settings in ((op.compare, {"by": study.pop("by")}), (op.rank, {})):
        with pytest.raises(ValueError, match="fdr must lie between 0 and 1, got"):
            verb(**study, **settings, rope=0.01, fdr=fdr)
    with pytest.raises(ValueError, match="fdr must lie between 0 and 1, got"):
        op.rank_scores({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}, fdr=fdr)


def test_one_verdict_or_none_is_no_list() -> None:
    study = sliced(0, 2, 20)
    with pytest.raises(ValueError, match="fdr= withholds verdicts, and without a ROPE there are none"):
        op.compare(**study, fdr=0.05)
    del study["by"]
    with pytest.raises(ValueError, match='fdr= goes with several verdicts, as by= or average="per_class" give'):
        op.compare(**study, rope=0.01, fdr=0.05)


class TestSlices:
    """Return 20 slices; B is worse in two."""

    def test_verdicts_are_summed_up(self, r: op.BySlice) -> None:
        v = r.rows[0].verdicts
        assert v is not None
        assert all(row.verdicts == v for row in r)
        decided = [row for row in r if row.decision and row.decision.decided]
        assert (v.rows, v.given, v.fdr, v.withheld) == (20, len(decided), None, 0)
        assert v.expected_wrong == pytest.approx(sum(row.p_wrong or 0 for row in decided))
        assert [row.p_wrong is None for row in r] == [row not in decided for row in r]

    def test_it_is_said_once(self, r: op.BySlice) -> None:
        (said,) = (note for note in r.tables()[0].remarks if "expected number of wrong ones" in note)
        assert r.to_text().count(said) == r.to_markdown().count(said.split(".")[0]) == 1
        assert said.split(";")[0] in r.to_html()
        assert "chance alone would give up to" in said

    def test_without_a_rope_there_is_nothing_to_say(self, r: op.BySlice) -> None:
        plain = r.with_rope(None)
        assert {(row.p_wrong, row.verdicts) for row in plain} == {(None, None)}
        assert "chance alone" not in plain.to_text()

    def test_the_least_sure_are_withheld_and_keep_their_lean(self, r: op.BySlice, few: op.BySlice) -> None:
        v = few.rows[0].verdicts
        assert v is not None
        assert r.rows[0].verdicts is not None
        assert v.given > 0
        assert v.withheld == r.rows[0].verdicts.given - v.given > 0
        for alone, row in zip(r, few, strict=True):
            assert row.p_wrong == alone.p_wrong
            assert row.delta == alone.delta
            assert row.withheld == (row.decision != alone.decision)
            if row.withheld:
                assert alone.decision
                assert row.decision
                assert (
                    row.decision.name == {"better": "slightly_better", "worse": "slightly_worse"}[alone.decision.name]
                )
        assert f"{v.withheld} withheld, so that the expected share of wrong ones is at most 0.05" in few.to_text()

    def test_a_gate_stays_shut_on_a_withheld_verdict(self, r: op.BySlice, few: op.BySlice) -> None:
        for alone, row in zip(r, few, strict=True):
            if alone.decision and alone.decision.name == "better":
                assert alone.meets("better")
                assert row.meets("better") == (not row.withheld)
                assert row.meets("not-worse")

    def test_the_signature_has_it_only_if_it_was_asked_for(self, r: op.BySlice, few: op.BySlice) -> None:
        assert "fdr" not in r.tables()[0].signature
        assert "|rope:-0.01,0.01|fdr:0.05|n:3000" in few.tables()[0].signature
        assert few[0].signature == r[0].signature.judged(fdr=0.05)

    def test_another_rope_or_mass_is_judged_with_it(self, few: op.BySlice) -> None:
        direct = op.compare(**sliced(3, worse=2), rope=0.02, fdr=0.05, mass=0.9, draws=2_000, rng=0)
        again = few.with_rope(0.02).with_mass(0.9)
        assert again == direct
        assert again.rows[0].signature == direct.rows[0].signature

    def test_json_comes_back(self, few: op.BySlice) -> None:
        for plain, row in zip(json.loads(few.to_json()), few, strict=True):
            del plain["slice"]
            assert op.Comparison.from_dict(plain) == row
            assert set(plain["verdicts"]) == {"rows", "given", "expected_wrong", "by_chance", "fdr", "withheld"}

    def test_what_was_written_before_is_still_read(self, few: op.BySlice) -> None:
        plain = few.rows[0].to_dict()
        del plain["verdicts"], plain["p_wrong"]
        assert op.Comparison.from_dict(plain).verdicts is None


def test_classes_come_back_from_json() -> None:
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 3, (3, 300))
    r = op.compare(
        y, {"a": np.where(rng.random(300) < 0.7, y, a), "b": b}, average="per_class", rope=0.01, fdr=0.1, rng=0
    )
    assert r.rows[0].verdicts is not None
    assert r.rows[0].verdicts.given == 3
    assert op.PerClass.from_dict(json.loads(r.to_json()), op.Comparison) == r


class TestRanking:
    """Return eight systems, one of which is better."""

    @pytest.mark.parametrize("rope", [None, 0.01, (-0.02, 0.01)])
    def test_withheld_pairs_are_not_told_apart(self, scores: dict[str, Any], rope: Any) -> None:
        r = op.rank_scores(scores, rope=rope, draws=2_000, rng=0)
        few = op.rank_scores(scores, rope=rope, draws=2_000, rng=0, fdr=0.001)
        assert r.verdicts.given > few.verdicts.given > 0
        assert few.verdicts.withheld == r.verdicts.given - few.verdicts.given
        assert sum(pair.separated for pair in few.pairs) <= few.verdicts.given
        for alone, pair in zip(r.pairs, few.pairs, strict=True):
            assert pair.p_wrong == alone.p_wrong
            assert alone.separated or not pair.separated
            for a, b in ((pair.a, pair.b), (pair.b, pair.a)):
                compared = few.comparison(a, b)
                assert (compared.decision is None) == (rope is None)
                if pair.decision and compared.decision:
                    assert (compared.decision == pair.decision) == (a == pair.a or pair.decision.symbol in "≈?")
                    assert compared.decision.decided == pair.decision.decided
        assert len(few.bands[0]) >= len(r.bands[0])
        assert few.with_mass(0.9).verdicts.fdr == few.with_rope(0.05).verdicts.fdr == 0.001
        assert few.to_dict()["verdicts"]["withheld"] == few.verdicts.withheld
        assert "|fdr:0.001|n:400" in few.signature

    def test_every_pair_of_the_json_has_the_verdict_of_the_table(self, scores: dict[str, Any]) -> None:
        few = op.rank_scores(scores, rope=0.01, draws=500, rng=0, fdr=0.01)
        for plain, pair in zip(few.to_dict()["pairs"], few.pairs, strict=True):
            assert pair.decision
            assert (plain["a"]["name"], plain["decision"]["name"]) == (pair.a, pair.decision.name)
            assert plain["p_wrong"] == pair.p_wrong


class TestCommand:
    """Run the command with `--fdr`."""

    def test_it_is_passed_on(self, file: str) -> None:
        asked = [file, "--truth", "gold", "--predictions", "a", "b"]
        out = run(
            "compare", *asked, "--by", "part", "--rope", "0.01", "--fdr", "0.05", "--draws", "2000", "--format", "json"
        )
        (first, *_) = json.loads(out.stdout)
        assert first["verdicts"]["fdr"] == 0.05
        assert first["verdicts"]["withheld"] > 0
        ranked = run("rank", *asked, "--fdr", "0.05", "--draws", "500", "--format", "json")
        assert json.loads(ranked.stdout)["verdicts"]["fdr"] == 0.05

    @pytest.mark.parametrize("fdr", ["0", "1", "5", "nan", "x"])
    def test_a_bad_share_is_one_sentence(self, file: str, fdr: str) -> None:
        asked = [file, "--truth", "gold", "--predictions", "a", "b", "--by", "part", "--rope", "0.01", "--fdr", fdr]
        out = run("compare", *asked)
        assert out.exit_code == 2
        assert f"Error: --fdr must lie between 0 and 1, got {fdr!r}\n" in out.stderr

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["compare"], "--fdr goes with several verdicts, as --by or --average per_class give; leave it out"),
            (
                ["compare", "--by", "part"],
                "--fdr withholds verdicts, and without a ROPE there are none; give one with --rope",
            ),
            (["report"], "--fdr applies to several verdicts, and this command gives one; leave it out"),
        ],
    )
    def test_where_it_has_no_use(self, file: str, words: list[str], said: str, tmp_path: Path) -> None:
        rope = [] if "--by" in words else ["--rope", "0.01"]
        asked = [file, "--truth", "gold", "--predictions", "a", "b", "--output", str(tmp_path / "out")]
        out = run(*words, *asked, *rope, "--fdr", "0.05")
        assert out.exit_code == 2
        assert said in " ".join(out.stderr.split())
