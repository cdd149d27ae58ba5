//! The grades of a judge beside those of people, and their agreement.

use std::collections::{BTreeMap, HashMap};

use agentv_core::{ResultRecord, Status, Verdict};
use agentv_report::agreement::{Agreement, RatedAnswer};

use super::labelled_answers::HumanLabel;

/// A collector of results that belong to labelled answers.
pub struct JudgedAnswers {
    labels: HashMap<String, HumanLabel>,
    judged: Vec<JudgedAnswer>,
}

impl JudgedAnswers {
    pub(super) fn with_labels(labels: HashMap<String, HumanLabel>) -> JudgedAnswers {
        JudgedAnswers {
            labels,
            judged: Vec::new(),
        }
    }

    /// Adds the result of a case.
    pub fn add(&mut self, record: &ResultRecord) {
        if let Some(label) = self.labels.get(&record.eval_id) {
            self.judged.push(JudgedAnswer::of(record, *label));
        }
    }

    /// Compares all results with their labels. Keeps the cases that differ most, at most `shown`.
    pub fn calibration(&mut self, shown: usize) -> Calibration {
        Calibration::of(std::mem::take(&mut self.judged), shown)
    }
}

/// A labelled answer with the judge's grade, or with the reason why there is none.
pub struct JudgedAnswer {
    /// The id of the case.
    pub id: String,
    /// The grade of a person.
    pub label: HumanLabel,
    /// The judge's verdict and score; `None` if it errored.
    pub said: Option<(Verdict, f64)>,
    /// The verdict and score of each evaluator that gave one, with its name.
    pub evaluators: Vec<(String, Verdict, f64)>,
    /// The reason that the judge gives, or the error.
    pub reason: Option<String>,
}

impl JudgedAnswer {
    fn of(record: &ResultRecord, label: HumanLabel) -> JudgedAnswer {
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
        JudgedAnswer {
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

    /// Returns the distance between the two verdicts, from 0 to 2, and between the two scores.
    fn distance(&self) -> (usize, f64) {
        let Some((verdict, score)) = self.said else {
            return (0, 0.0);
        };
        let in_verdicts = rank(verdict).abs_diff(rank(self.label.verdict));
        let human = self.label.score;
        let in_scores = human.map_or(0.0, |human| (score - human.value()).abs());
        (in_verdicts, in_scores)
    }
}

fn rank(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Borderline => 1,
        Verdict::Fail => 2,
    }
}

fn pair(label: HumanLabel, (verdict, score): (Verdict, f64)) -> RatedAnswer {
    RatedAnswer {
        human: label.verdict,
        judge: verdict,
        scores: label.score.map(|human| (human.value(), score)),
    }
}

/// The agreement of a judge with people.
pub struct Calibration {
    /// The agreement of all evaluators together.
    pub agreement: Agreement,
    /// The agreement of each evaluator, if there are several.
    pub by_evaluator: BTreeMap<String, Agreement>,
    /// The cases that errored, which no agreement counts.
    pub errored: Vec<JudgedAnswer>,
    /// The cases whose grades differ: the largest difference of verdicts first, then of scores.
    pub differing: Vec<JudgedAnswer>,
}

impl Calibration {
    /// Compares the grades of all cases. Keeps the cases that differ most, at most `shown`.
    fn of(mut judged: Vec<JudgedAnswer>, shown: usize) -> Calibration {
        // The last digit of a sum depends on the order, and cases end in any order.
        judged.sort_by(|one, other| one.id.cmp(&other.id));
        let (graded, errored): (Vec<_>, Vec<_>) =
            judged.into_iter().partition(|case| case.said.is_some());
        let pairs = graded.iter();
        let pairs = pairs.filter_map(|case| Some(pair(case.label, case.said?)));
        let agreement = Agreement::of(&pairs.collect::<Vec<_>>());
        let by_evaluator = by_evaluator(&graded);
        let mut differing: Vec<JudgedAnswer> = graded
            .into_iter()
            .filter(|case| case.distance() != (0, 0.0))
            .collect();
        // Verdicts count first: a gate sees those.
        differing.sort_by(|one, other| {
            let ((verdicts, scores), (less, lower)) = (other.distance(), one.distance());
            verdicts.cmp(&less).then(scores.total_cmp(&lower))
        });
        differing.truncate(shown);
        Calibration {
            agreement,
            by_evaluator,
            errored,
            differing,
        }
    }
}

/// Returns the agreement of each evaluator by itself; nothing if there is only one.
fn by_evaluator(graded: &[JudgedAnswer]) -> BTreeMap<String, Agreement> {
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
