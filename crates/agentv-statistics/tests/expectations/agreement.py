"""Writes agreement.json: what scikit-learn, statsmodels and scipy say of random verdicts and scores.

    pip install scikit-learn==1.9.1 scipy==1.17.1 statsmodels==0.15.0
    python agreement.py > agreement.json
"""

import json
import math
import random
import sys
import warnings

from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, mean_absolute_error
from statsmodels.stats.inter_rater import cohens_kappa

warnings.simplefilter("ignore")
LABELS = [0, 1, 2]  # pass, borderline, fail


def number(value):
    return None if math.isnan(value) else float(value)


def verdict(score):
    return 0 if score >= 0.8 else 1 if score >= 0.6 else 2


def error(table, weights):
    """The standard error of kappa by Fleiss, Cohen and Everitt (1969)."""
    return number(cohens_kappa(table, wt=weights).std_kappa)


def case(rng, size, noise, levels):
    human_scores = [round(rng.randint(0, levels) / levels, 4) for _ in range(size)]
    judge_scores = [min(1.0, max(0.0, round(score + rng.uniform(-noise, noise), 2))) for score in human_scores]
    human, judge = [verdict(s) for s in human_scores], [verdict(s) for s in judge_scores]
    table = confusion_matrix(human, judge, labels=LABELS)
    return {
        "human": human,
        "judge": judge,
        "human_scores": human_scores,
        "judge_scores": judge_scores,
        "accuracy": accuracy_score(human, judge),
        "kappa": number(cohen_kappa_score(human, judge, labels=LABELS)),
        "weighted_kappa": number(cohen_kappa_score(human, judge, labels=LABELS, weights="linear")),
        "kappa_error": error(table, None),
        "weighted_kappa_error": error(table, "linear"),
        "spearman": number(spearmanr(human_scores, judge_scores).statistic),
        "mean_difference": mean_absolute_error(human_scores, judge_scores),
        "confusion": table.tolist(),
    }


def main():
    rng = random.Random(20261115)
    shapes = [(size, noise, levels) for size in (2, 5, 20, 100) for noise in (0.0, 0.2, 0.9) for levels in (1, 4, 10)]
    json.dump([case(rng, *shape) for shape in shapes], sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


main()
