#!/usr/bin/env python3
"""Writes what other implementations say of generated data, for `tests/expectations.rs`.

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python make.py

Where those packages have no such function, the figures come from a few lines below, written from the
definition and with whole fractions where that matters. The seed is fixed: the same versions write the
same file.
"""

import fractions
import itertools
import json
import math
import pathlib
import random
import warnings

import numpy
from scipy import optimize, stats
from statsmodels import api, formula
from statsmodels.stats import contingency_tables, multitest, power, proportion

HERE = pathlib.Path(__file__).parent
LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]


def score(rng):
    kind = rng.random()
    if kind < 0.4:
        return float(rng.choice([0, 1]))
    if kind < 0.7:
        return rng.choice([0, 0.25, 0.5, 0.75, 1])
    return round(rng.random(), 6)


def wilson(rng):
    counts = [(0, 1), (1, 1), (0, 10), (10, 10), (1, 100_000), (99_999, 100_000), (50, 100)]
    counts += [(rng.randint(0, n), n) for n in (rng.randint(1, 10 ** rng.randint(1, 7)) for _ in range(60))]
    for passed, n in counts:
        level = rng.choice(LEVELS)
        low, high = proportion.proportion_confint(passed, n, alpha=1 - level, method="wilson")
        yield {"passed": passed, "n": n, "level": level, "low": float(low), "high": float(high)}


def clusters_of(rng, n):
    kind = rng.random()
    if kind < 0.3:
        return [None] * n
    groups = rng.randint(2, max(2, n // 2))
    names = [f"c{index % groups if index < groups else rng.randrange(groups)}" for index in range(n)]
    return [name if kind < 0.7 or rng.random() < 0.7 else None for name in names]


def constant_model(values, clusters, level):
    """The mean as a regression on a constant, whose errors are robust to clusters."""
    groups = {}
    codes = [groups.setdefault(c if c is not None else (i,), len(groups)) for i, c in enumerate(clusters)]
    if len(groups) < 2:
        return None
    model = api.OLS(numpy.array(values), numpy.ones(len(values)))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": numpy.array(codes)}, use_t=True)
    low, high = fit.conf_int(alpha=1 - level)[0]
    return {
        "mean": float(fit.params[0]),
        "standard_error": float(fit.bse[0]),
        "low": float(low),
        "high": float(high),
        "clusters": len(groups),
    }


def means(rng):
    for _ in range(80):
        n = rng.choice([2, 3, 5, 10, 30, 100, 300])
        values, clusters = [score(rng) for _ in range(n)], clusters_of(rng, n)
        if len(set(values)) == 1:
            continue
        level = rng.choice(LEVELS)
        found = constant_model(values, clusters, level)
        if found:
            yield {"values": values, "cluster_names": clusters, "level": level, **found}
    # Without clusters it is the plain interval of the mean.
    values = [round(rng.random(), 6) for _ in range(2000)]
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    error = float(stats.sem(values))
    yield {"values": values, "cluster_names": [None] * 2000, "level": 0.95, "clusters": 2000,
           "mean": float(numpy.mean(values)), "standard_error": error, "low": low, "high": high}


def clustered_rates(rng):
    """The effective sample size of trials in clusters: their number, divided by the design effect that the robust
    standard error shows, raised by one standard error of a variance from that many clusters."""
    for size, clusters in [(2, 12), (3, 40), (5, 30), (4, 60), (10, 20), (5, 200)]:
        for alike in [0.3, 1.0, 4.0]:
            rate = rng.uniform(0.2, 0.8)
            shares = [rng.betavariate(alike * rate, alike * (1 - rate)) for _ in range(clusters)]
            passed = [sum(rng.random() < share for _ in range(size)) for share in shares]
            values = [float(at < count) for count in passed for at in range(size)]
            groups = [index for index in range(clusters) for _ in range(size)]
            model = api.OLS(numpy.array(values), numpy.ones(len(values)))
            error = float(model.fit(cov_type="cluster", cov_kwds={"groups": numpy.array(groups)}).bse[0])
            n, p = len(values), sum(values) / len(values)
            effect = error**2 * n / (p * (1 - p)) * (1 + math.sqrt(2 / (clusters - 1)))
            yield {"size": size, "passed": passed, "effective_n": min(n, max(clusters, n / effect))}


def draws(rng):
    cases = [(1, 0, 1), (1, 1, 1), (5, 2, 3), (10, 10, 10), (1000, 1, 1000), (100_000, 7, 5000)]
    for _ in range(80):
        n = rng.randint(1, 10 ** rng.randint(1, 4))
        cases.append((n, rng.randint(0, n), min(n, rng.choice([1, 2, 3, 5, 8, 100, n]))))
    for n, c, k in cases:
        at = 1 - fractions.Fraction(math.comb(n - c, k), math.comb(n, k))
        hat = fractions.Fraction(math.comb(c, k), math.comb(n, k))
        yield {"trials": n, "passed": c, "k": k, "pass_at_k": float(at), "pass_hat_k": float(hat)}


def components(rng):
    for _ in range(40):
        balanced = rng.random() < 0.4
        most = rng.randint(2, 8)
        cases = []
        for _ in range(rng.randint(2, 30)):
            hard = rng.random()
            n = most if balanced else rng.randint(1, most)
            cases.append([round(min(1, max(0, rng.gauss(hard, rng.choice([0.02, 0.2, 0.8])))), 4) for _ in range(n)])
        total = sum(map(len, cases))
        if total == len(cases):
            continue
        rows = {"score": [s for case in cases for s in case],
                "case_id": [str(i) for i, case in enumerate(cases) for _ in case]}
        table = api.stats.anova_lm(formula.api.ols("score ~ C(case_id)", rows).fit())
        between, within = float(table["mean_sq"].iloc[0]), float(table["mean_sq"].iloc[1])
        n0 = (total - sum(len(case) ** 2 for case in cases) / total) / (len(cases) - 1)
        yield {"cases": cases, "within": within, "between_estimate": (between - within) / n0, "trials_per_case": n0}


def smallest(power_of, wanted, most):
    """The difference that is seen as often as wanted: by the one-sided test of half the level, as the other side
    adds next to nothing."""
    return float(optimize.brentq(lambda d: float(power_of(d)) - wanted, 1e-6, most, xtol=1e-14, rtol=1e-14))


def paired(rng):
    for _ in range(60):
        n = rng.choice([2, 3, 6, 10, 12, 40, 200])
        a = [score(rng) for _ in range(n)]
        better = rng.choice([0, 0.05, 0.2])
        b = [min(1.0, s + better * rng.random()) if rng.random() < 0.6 else score(rng) for s in a]
        b = [round(s, 6) for s in b]
        if len({y - x for x, y in zip(a, b)}) == 1:
            continue
        clusters, level = clusters_of(rng, n), rng.choice(LEVELS)
        found = constant_model([y - x for x, y in zip(a, b)], clusters, level)
        if not found:
            continue
        case = {"a": a, "b": b, "cluster_names": clusters, "level": level, **found}
        # The smallest seen difference by the noncentral t distribution, where it applies.
        if found["clusters"] == n and n >= 10:
            model = power.TTestPower()
            effect = smallest(lambda d: model.power(d, n, (1 - level) / 2, alternative="larger"), 0.8, 12 / math.sqrt(n))
            case["detectable"] = effect * found["standard_error"] * math.sqrt(n)
        yield case


def mcnemars(rng):
    counts = [(0, 0), (1, 0), (5, 5), (3, 10), (0, 30), (400, 500), (2000, 2200), (49_000, 51_000), (50_000, 50_001)]
    counts += [(rng.randint(0, m), rng.randint(0, m)) for m in (10 ** rng.randint(1, 4) for _ in range(50))]
    for only_a, only_b in counts:
        table = [[rng.randint(0, 50), only_a], [only_b, 7]]
        p = float(contingency_tables.mcnemar(table, exact=True).pvalue)
        # The two packages agree, but for what underflows.
        if only_a + only_b:
            assert math.isclose(p, stats.binomtest(only_a, only_a + only_b).pvalue, rel_tol=1e-9)
        yield {"only_a": only_a, "only_b": only_b, "p_value": p}


def as_far(differences):
    """The share of all signs, with sums of whole numbers."""
    units = [round(d * 10**6) for d in differences if d]
    sums = {0: 1}
    for unit in units:
        turned = {}
        for total, count in sums.items():
            for sign in (1, -1):
                turned[total + sign * unit] = turned.get(total + sign * unit, 0) + count
        sums = turned
    observed = abs(sum(units))
    return sum(c for s, c in sums.items() if abs(s) >= observed) / 2 ** len(units)


def permutations(rng):
    for _ in range(40):
        n = rng.randint(2, 11)
        differences = [rng.choice([0, round(rng.uniform(-1, 1), 6), rng.choice([-0.5, 0.25, 1])]) for _ in range(n)]
        p = 1.0
        if any(differences):
            found = stats.permutation_test((numpy.array(differences),), numpy.sum, permutation_type="samples",
                                           n_resamples=numpy.inf, alternative="two-sided")
            p = float(found.pvalue)
            assert math.isclose(p, as_far(differences), rel_tol=1e-12), (p, differences)
        yield {"differences": differences, "p_value": p}
    # More than can be tried: of few values, all signs are counted by their sums.
    for n in [17, 40, 150, 900]:
        for better in [0, 0.1, 0.25]:
            drawn = [rng.choice([-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1]) for _ in range(n)]
            differences = [abs(d) if rng.random() < better else d for d in drawn]
            yield {"differences": differences, "p_value": as_far(differences)}


def families(rng):
    for size in [1, 2, 3, 5, 10, 40]:
        for _ in range(5):
            p = [rng.choice([rng.random(), rng.random() ** 6, 0.01, 1.0]) for _ in range(size)]
            adjusted = multitest.multipletests(p, method="holm")[1]
            yield {"p_values": p, "adjusted": [float(value) for value in adjusted]}


def unpaired_rates(rng):
    for n in [10, 20, 50, 100, 377, 1000, 10_000, 100_000]:
        for level, wanted in [(0.95, 0.8), (0.99, 0.9)]:
            def power_of(difference):
                return proportion.power_proportions_2indep(difference, 0.5 - difference / 2, n, alpha=1 - level).power

            # Few cases may need more difference than there is.
            if power_of(0.999) < wanted:
                continue
            found = smallest(power_of, wanted, 0.999)
            yield {"n": n, "level": level, "power": wanted, "difference": found}


def paired_rates(rng):
    for n in [20, 50, 100, 377, 1000, 100_000]:
        for discordance in [0.02, 0.1, 0.3, 1.0]:
            for level, wanted in [(0.95, 0.8), (0.99, 0.9)]:
                z1, z2 = stats.norm.isf((1 - level) / 2), stats.norm.isf(1 - wanted)

                def missing(d):
                    return d * math.sqrt(n) - z1 * math.sqrt(discordance) - z2 * math.sqrt(discordance - d * d)

                top = min(discordance, math.sqrt(discordance))
                found = optimize.brentq(missing, 0, top, xtol=1e-14, rtol=1e-14) if missing(top) >= 0 else None
                yield {"n": n, "discordance": discordance, "level": level, "power": wanted, "difference": found}


def unpaired_scores(rng):
    for n in [10, 20, 50, 100, 1000, 100_000]:
        for level, wanted in [(0.95, 0.8), (0.99, 0.9), (0.8, 0.6)]:
            deviation = round(rng.uniform(0.05, 0.5), 4)
            model = power.TTestIndPower()
            effect = smallest(lambda d: model.power(d, n, (1 - level) / 2, alternative="larger"), wanted, 12 / math.sqrt(n))
            yield {"n": n, "standard_deviation": deviation, "level": level, "power": wanted,
                   "difference": effect * deviation}


def folds(rng):
    for size in [1, 2, 3, 10, 1000]:
        for scale in [1, 1e-3, 1e6]:
            values = [rng.choice([1.0, rng.random(), 0.1]) * scale + rng.choice([0, 0, 1e4]) for _ in range(size)]
            exact = [fractions.Fraction(value) for value in values]
            mean = sum(exact) / size
            variance = sum((value - mean) ** 2 for value in exact) / (size - 1) if size > 1 else None
            yield {"values": values, "mean": float(mean), "variance": None if variance is None else float(variance)}


def t_quantiles(rng):
    for freedom in [1, 2, 3, 4, 5, 9, 30, 99, 500, 999, 1000, 1999, 10_000, 1_000_000]:
        for tail in [0.45, 0.25, 0.1, 0.025, 0.005, 5e-4, 5e-6, 0.8]:
            t, z = stats.t.isf(tail, freedom), stats.norm.isf(tail)
            yield {"tail": tail, "freedom": freedom, "t": float(t), "z": float(z)}


def write(name, sections):
    parts = []
    for section, cases in sections.items():
        lines = ",\n".join(json.dumps(case) for case in cases)
        parts.append(f"{json.dumps(section)}: [\n{lines}\n]")
    (HERE / name).write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kinds = [wilson, means, clustered_rates, draws, components, paired, mcnemars, permutations, families, unpaired_rates, paired_rates,
             unpaired_scores, folds, t_quantiles]
    write("statistics.json", {kind.__name__: list(kind(random.Random(20261115))) for kind in kinds})
