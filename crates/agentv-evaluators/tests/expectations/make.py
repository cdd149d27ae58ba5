#!/usr/bin/env python3
"""Writes what other implementations say of generated data, for `tests/expectations.rs`.

    pip install rapidfuzz==3.14.6 jellyfish==1.3.0 rouge-score==0.1.2 sacrebleu==2.6.0
    python make.py

Similarities come from those packages, the scores of `field_accuracy` and `tool_trajectory` from small
models below that are written from their definition and share nothing with the program.
The seed is fixed: the same versions write the same files.
"""

import datetime
import itertools
import json
import pathlib
import random

import jellyfish
import sacrebleu
from rapidfuzz.distance import JaroWinkler, Levenshtein
from rouge_score import rouge_scorer

HERE = pathlib.Path(__file__).parent
WORDS = (
    "the a of to and capital France Paris is was not it's 3.14 1,000 e-mail 42 12-5 U.S. end. "
    "(yes) [no] {x} \"quoted\" &amp; &lt;b&gt; <skipped> Größe naïve 東京 😀 😀😀 word-\nbreak line\nbreak "
    "tab\there nbsp\u00a0here ... ,, 5. .5 a.b 7-up $5.00 100% #tag C++ é e\u0301 ΟΔΟΣ İstanbul ß"
).split(" ")


def text(rng):
    kind = rng.random()
    if kind < 0.05:
        return ""
    if kind < 0.25:
        return "".join(rng.choice("abcab dé") for _ in range(rng.randint(1, 12)))
    if kind < 0.35:
        return "".join(rng.choice("abcdefgh ") for _ in range(rng.randint(60, 300)))
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 60)))


def changed(rng, original):
    if not original:
        return text(rng)
    letters = list(original)
    for _ in range(rng.randint(0, 1 + len(letters) // 8)):
        at = rng.randrange(len(letters) + 1)
        what = rng.random()
        if what < 0.3:
            letters.insert(at, rng.choice("abc .,-5é"))
        elif what < 0.6 and at < len(letters):
            del letters[at]
        elif what < 0.8 and at + 1 < len(letters):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        elif at < len(letters):
            letters[at] = rng.choice("abc .,-5é")
    words = "".join(letters).split(" ")
    if rng.random() < 0.4 and len(words) > 2:
        at = rng.randrange(len(words))
        words = words[at:] + words[:at]
    return " ".join(words)


def similarities(rng, count):
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    pairs = []
    while len(pairs) < count:
        reference = text(rng)
        answer = changed(rng, reference) if rng.random() < 0.75 else text(rng)
        winkler = JaroWinkler.similarity(answer, reference)
        # jellyfish compares what people see as one letter, which in ASCII is the same.
        if answer and reference and (answer + reference).isascii():
            assert abs(winkler - jellyfish.jaro_winkler_similarity(answer, reference)) < 1e-9
        pairs.append(
            {
                "answer": answer,
                "reference": reference,
                "levenshtein": Levenshtein.normalized_similarity(answer, reference),
                "jaro_winkler": winkler,
                "rouge_l": scorer.score(reference, answer)["rougeL"].fmeasure,
                "bleu": sacrebleu.sentence_bleu(answer, [reference]).score / 100,
            }
        )
    return pairs


# field_accuracy


MISSING = object()
STRFTIME = {"YYYY-MM-DD": "%Y-%m-%d", "DD/MM/YYYY": "%d/%m/%Y", "MM/DD/YYYY": "%m/%d/%Y"}


def value_at(document, steps):
    for step in steps:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return document


def written(steps):
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else ("." if path else "") + step
    return path


def day(value, formats):
    for name in formats:
        try:
            return datetime.datetime.strptime(value, STRFTIME[name]).date()
        except (ValueError, TypeError):
            pass
    return None


def agrees(field, found, expected):
    match = field.get("match", "exact")
    if match == "numeric_tolerance":
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return False
        allowed = field.get("tolerance", 0)
        if field.get("relative") and expected != 0:
            allowed *= abs(expected)
        return abs(found - expected) <= allowed + 1e-12
    if match == "date":
        if found == expected:
            return True
        formats = field["formats"]
        found = day(found, formats)
        return found is not None and found == day(expected, formats + ["YYYY-MM-DD"])
    return json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def accuracy(fields, aggregation, found, expected):
    """The score, or None where the expected document has none of the fields."""
    fields = [field for field in fields if value_at(expected, field["steps"]) is not MISSING]
    if not fields:
        return None
    got, weights, hits = 0.0, 0.0, []
    for field in fields:
        wanted = value_at(expected, field["steps"])
        have = value_at(found, field["steps"])
        if have is MISSING:
            if not field.get("required", True):
                continue
            hit = False
        else:
            hit = agrees(field, have, wanted)
        weight = field.get("weight", 1)
        hits.append(hit)
        got += weight * hit
        weights += weight
    if aggregation == "all_or_nothing":
        return float(bool(hits) and all(hits))
    return got / weights if weights else 0.0


def fields_case(rng):
    def amount():
        return rng.choice([0, 1, 5, 12.5, 100, 1e6, -3]) + rng.choice([0, 0, 0.25, 1])

    def date():
        moment = datetime.date(2026, 1, 1) + datetime.timedelta(days=rng.randrange(400))
        return moment.strftime(rng.choice(list(STRFTIME.values())))

    def document():
        return {
            "name": rng.choice(["Ada", "Bob", "ada"]),
            "paid": rng.choice([True, False, None]),
            "due": date(),
            "tags": rng.sample(["a", "b", "c"], rng.randint(0, 3)),
            "invoice": {"total": amount(), "lines": [{"amount": amount()} for _ in range(3)]},
        }

    expected = document()
    found = json.loads(json.dumps(expected if rng.random() < 0.7 else document()))
    for part in (found, expected):
        for key in list(part):
            if rng.random() < 0.15:
                del part[key]
    if "invoice" in found and rng.random() < 0.5:
        found["invoice"]["total"] += rng.choice([0.01, 0.1, 1, -2])
        found["invoice"]["lines"] = found["invoice"]["lines"][: rng.randint(0, 3)]
    if "due" in found and rng.random() < 0.3:
        found["due"] = rng.choice([date(), "soon", 5])
    paths = [["name"], ["paid"], ["due"], ["tags"], ["invoice", "total"], ["nothing"]]
    paths += [["tags", 0], ["invoice", "lines", rng.randrange(4), "amount"], ["invoice"]]
    fields = []
    for steps in rng.sample(paths, rng.randint(1, 6)):
        field = {"steps": steps, "path": written(steps)}
        if steps == ["due"]:
            field["match"] = "date"
            field["formats"] = rng.sample(list(STRFTIME), rng.randint(1, 3))
            if "due" in expected and not day(expected["due"], field["formats"] + ["YYYY-MM-DD"]):
                continue
        elif steps[-1] in ("total", "amount"):
            field["match"] = "numeric_tolerance"
            field["tolerance"] = rng.choice([0, 0.05, 0.1, 1.5])
            field["relative"] = rng.random() < 0.5
        if rng.random() < 0.3:
            field["required"] = rng.random() < 0.3
        if rng.random() < 0.3:
            field["weight"] = rng.choice([0, 0.5, 2, 3])
        fields.append(field)
    if not fields:
        return fields_case(rng)
    aggregation = rng.choice(["weighted_average", "weighted_average", "all_or_nothing"])
    score = accuracy(fields, aggregation, found, expected)
    for field in fields:
        del field["steps"]
    return {
        "answer": json.dumps(found),
        "expected": expected,
        "options": {"fields": fields, "aggregation": aggregation},
        "score": score,
    }


# tool_trajectory


def holds(part, whole):
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and holds(part[k], whole[k]) for k in part)
    return part == whole


def fits(expected, call):
    args = expected.get("args", "any")
    return expected["tool"] == call["tool"] and (args == "any" or holds(args, call.get("input", {})))


def tally(expected, partners, whole):
    """The score where `partners` are the calls that match the expected ones, or None."""
    matched = sum(partner is not None for partner in partners)
    met = counted = 0
    for wanted, partner in zip(expected, partners):
        if "max_duration_ms" not in wanted:
            continue
        if partner is None:
            counted += 1
        elif "duration_ms" in partner:
            counted += 1
            met += partner["duration_ms"] <= wanted["max_duration_ms"]
    rank = (matched, met, -counted)
    return rank, ((matched + met) / (whole + counted) if whole + counted else 1.0)


def trajectory(options, calls):
    if options["mode"] == "any_order":
        minimums = options["minimums"]
        made = [call["tool"] for call in calls]
        met = [made.count(tool) >= fewest for tool, fewest in minimums.items()]
        return sum(met) / len(met) if met else 1.0
    expected = options["expected"]
    if options["mode"] == "exact":
        places = itertools.zip_longest(expected, calls[: len(expected)])
        partners = [call if call and fits(wanted, call) else None for wanted, call in places]
        return tally(expected, partners, max(len(expected), len(calls)))[1]
    # In order: every way to pick partners, and the best of them.
    best = ((-1,), 0.0)
    choices = [[None] + [i for i, call in enumerate(calls) if fits(w, call)] for w in expected]
    for picked in itertools.product(*choices):
        used = [place for place in picked if place is not None]
        if used != sorted(set(used)):
            continue
        partners = [None if place is None else calls[place] for place in picked]
        best = max(best, tally(expected, partners, len(expected)))
    return best[1]


def trajectory_case(rng):
    tools = ["search", "open", "semanticSearch"]

    def arguments():
        return {k: rng.randint(0, 1) for k in rng.sample(["q", "page"], rng.randint(0, 2))}

    calls = []
    for _ in range(rng.randint(0, 6)):
        call = {"tool": rng.choice(tools)}
        if rng.random() < 0.8:
            call["input"] = arguments() | ({"deep": {"a": 1, "b": rng.randint(0, 1)}} if rng.random() < 0.3 else {})
        if rng.random() < 0.7:
            call["duration_ms"] = rng.choice([10, 100, 1000.5])
        calls.append(call)
    mode = rng.choice(["any_order", "in_order", "exact"])
    options = {"mode": mode}
    if mode == "any_order":
        options["minimums"] = {tool: rng.randint(0, 3) for tool in rng.sample(tools, rng.randint(0, 3))}
    else:
        options["expected"] = []
        like = list(calls) if rng.random() < 0.6 else []
        for _ in range(rng.randint(0, 5)):
            wanted = {"tool": like.pop(0)["tool"] if like and rng.random() < 0.8 else rng.choice(tools)}
            if rng.random() < 0.5:
                wanted["args"] = rng.choice(["any", arguments(), {"deep": {"b": 1}}])
            if rng.random() < 0.5:
                wanted["max_duration_ms"] = rng.choice([5, 100, 2000])
            options["expected"].append(wanted)
    return {"calls": calls, "options": options, "score": trajectory(options, calls)}


def write(name, cases):
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (HERE / name).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    rng = random.Random(20261115)
    write("similarity.json", similarities(rng, 200))
    write("field_accuracy.json", [fields_case(rng) for _ in range(200)])
    write("tool_trajectory.json", [trajectory_case(rng) for _ in range(300)])
