//! What a judge said beside what people said, and how far they agree.

use std::collections::BTreeMap;

use agentv_core::{ResultRecord, Status, Verdict, is_obeyed};
use agentv_report::agreement::{Agreement, RatedAnswer, word};
use serde_json::{Value, json};

use super::labelled::Label;

/// One case that was judged, or was to be.
pub(super) struct Judged {
    id: String,
    label: Label,
    /// The judge's verdict and score; none where it errored.
    said: Option<(Verdict, f64)>,
    /// What each evaluator said, where it could.
    evaluators: Vec<(String, Verdict, f64)>,
    reason: Option<String>,
}

impl Judged {
    pub(super) fn of(record: &ResultRecord, label: Label) -> Judged {
        let verdict = match record.status {
            Status::Pass => Some(Verdict::Pass),
            Status::Borderline => Some(Verdict::Borderline),
            Status::Fail => Some(Verdict::Fail),
            Status::Error | Status::Ungraded => None,
        };
        let score = record.score.map(agentv_core::Score::value);
        let evaluators = record.evaluator_results.iter().filter_map(|result| {
            let score = result.score?.value();
            Some((result.name.clone(), result.verdict?, score))
        });
        Judged {
            id: record.eval_id.clone(),
            label,
            said: verdict.zip(score),
            evaluators: evaluators.collect(),
            reason: match &record.error {
                Some(error) => Some(error.message.clone()),
                None => record.reasoning.clone(),
            },
        }
    }

    /// How far apart the two are, from 0 to 1: in their scores or their verdicts, whichever is more.
    fn distance(&self) -> f64 {
        let Some((verdict, score)) = self.said else {
            return 0.0;
        };
        let in_verdicts = rank(verdict).abs_diff(rank(self.label.verdict)) as f64 / 2.0;
        match self.label.score {
            Some(human) => (score - human.value()).abs().max(in_verdicts),
            None => in_verdicts,
        }
    }
}

fn rank(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Borderline => 1,
        Verdict::Fail => 2,
    }
}

fn pair(label: Label, (verdict, score): (Verdict, f64)) -> RatedAnswer {
    RatedAnswer {
        human: label.verdict,
        judge: verdict,
        scores: label.score.map(|human| (human.value(), score)),
    }
}

/// How far a judge agrees with people.
pub(super) struct Calibration {
    pub(super) agreement: Agreement,
    /// Of each evaluator, where there are several.
    by_evaluator: BTreeMap<String, Agreement>,
    errored: Vec<Judged>,
    /// The cases on which they differ, the most first.
    differing: Vec<Judged>,
}

impl Calibration {
    /// Compares what was said of all cases; `shown` of those that differ are kept.
    pub(super) fn of(mut judged: Vec<Judged>, shown: usize) -> Calibration {
        // Sums depend on the order in their last digit, and cases end in any.
        judged.sort_by(|one, other| one.id.cmp(&other.id));
        let (graded, errored): (Vec<_>, Vec<_>) =
            judged.into_iter().partition(|case| case.said.is_some());
        let pairs = graded.iter();
        let pairs = pairs.filter_map(|case| Some(pair(case.label, case.said?)));
        let agreement = Agreement::of(&pairs.collect::<Vec<_>>());
        let by_evaluator = by_evaluator(&graded);
        let mut differing: Vec<Judged> = graded
            .into_iter()
            .filter(|case| case.distance() > 0.0)
            .collect();
        differing.sort_by(|one, other| other.distance().total_cmp(&one.distance()));
        differing.truncate(shown);
        Calibration {
            agreement,
            by_evaluator,
            errored,
            differing,
        }
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = self.agreement.render();
        text.push('\n');
        text.push_str(&self.agreement.render_confusion());
        for (name, agreement) in &self.by_evaluator {
            text.push_str(&format!("\nevaluator `{name}`\n{}", agreement.render()));
        }
        if !self.differing.is_empty() {
            text.push_str("\ndiffer most\n");
            for case in &self.differing {
                text.push_str(&format!("  {}\n", differing_line(case)));
            }
        }
        if !self.errored.is_empty() {
            text.push_str(&format!(
                "\nerrored, not counted above: {}\n",
                self.errored.len()
            ));
            for case in &self.errored {
                text.push_str(&format!("  {}  {}\n", one_line(&case.id), reason(case)));
            }
        }
        text
    }

    /// For scripts.
    pub(super) fn json(&self) -> Value {
        let differing = self.differing.iter().map(|case| {
            let (verdict, score) = case.said.unzip();
            json!({
                "eval_id": case.id,
                "human_verdict": case.label.verdict,
                "human_score": case.label.score,
                "judge_verdict": verdict,
                "judge_score": score,
                "reason": case.reason,
            })
        });
        let errored = self.errored.iter();
        let errored = errored.map(|case| json!({"eval_id": case.id, "reason": case.reason}));
        json!({
            "agreement": self.agreement,
            "by_evaluator": self.by_evaluator,
            "differ_most": differing.collect::<Vec<_>>(),
            "errored": errored.collect::<Vec<_>>(),
        })
    }
}

/// How far each evaluator agrees by itself; nothing where there is only one.
fn by_evaluator(graded: &[Judged]) -> BTreeMap<String, Agreement> {
    let mut pairs: BTreeMap<&str, Vec<RatedAnswer>> = BTreeMap::new();
    for case in graded {
        for (name, verdict, score) in &case.evaluators {
            let said = pairs.entry(name).or_default();
            said.push(pair(case.label, (*verdict, *score)));
        }
    }
    if pairs.len() < 2 {
        return BTreeMap::new();
    }
    let agreement =
        |(name, pairs): (&str, Vec<RatedAnswer>)| (name.to_owned(), Agreement::of(&pairs));
    pairs.into_iter().map(agreement).collect()
}

fn differing_line(case: &Judged) -> String {
    let shown = |verdict: Verdict, score: Option<f64>| match score {
        Some(score) => format!("{score:.3} {}", word(verdict)),
        None => word(verdict).to_owned(),
    };
    let human = shown(
        case.label.verdict,
        case.label.score.map(agentv_core::Score::value),
    );
    let judge = case
        .said
        .map(|(verdict, score)| shown(verdict, Some(score)))
        .unwrap_or_default();
    let id = one_line(&case.id);
    format!("{id}  human {human} · judge {judge}  {}", reason(case))
        .trim_end()
        .to_owned()
}

fn reason(case: &Judged) -> String {
    one_line(case.reason.as_deref().unwrap_or_default())
}

/// A text without line ends and whatever else a terminal would obey.
fn one_line(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|letter| if is_obeyed(letter) { ' ' } else { letter })
        .collect();
    shown.trim().to_owned()
}
