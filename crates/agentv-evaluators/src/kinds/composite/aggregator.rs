//! Combining the results of members into one evaluation.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use agentv_core::{
    Effort, Evaluation, EvaluatorError, EvaluatorResult, Extra, Judge, PassThreshold, Score,
    Subject, Verdict,
};
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::error::{BuildError, could_not_judge};
use crate::judge::{self, JudgeEvaluator, Panel, PromptSource};
use crate::options::Options;
use crate::script::{self, Script, input, output};
use crate::words::{Findings, shown_score};

/// The way to combine several results into one.
pub(super) enum Aggregator {
    /// The weighted mean of the scores.
    WeightedAverage,
    /// The lowest score.
    Minimum,
    /// The highest score.
    Maximum,
    /// 1 if enough members pass, else 0.
    Threshold {
        /// The smallest share that passes.
        least: PassThreshold,
    },
    /// A user's script.
    Script { script: Script, root: PathBuf },
    /// A language model.
    Judge(JudgeEvaluator),
}

#[derive(Clone, Copy)]
enum Kind {
    WeightedAverage,
    Minimum,
    Maximum,
    Threshold,
    CodeJudge,
    LlmJudge,
}

const KINDS: &[(&str, Kind)] = &[
    ("weighted_average", Kind::WeightedAverage),
    ("minimum", Kind::Minimum),
    ("maximum", Kind::Maximum),
    ("threshold", Kind::Threshold),
    ("code_judge", Kind::CodeJudge),
    ("llm_judge", Kind::LlmJudge),
];

fn kind(options: Option<&Options<'_>>) -> Result<Kind, BuildError> {
    let written = options.map(|options| options.one_of("type", KINDS));
    Ok(written
        .transpose()?
        .flatten()
        .unwrap_or(Kind::WeightedAverage))
}

/// Returns the judges that an aggregator asks.
pub(super) fn judges(options: Option<&Options<'_>>) -> Result<Vec<Judge>, BuildError> {
    match (kind(options)?, options) {
        (Kind::LlmJudge, Some(options)) => judge::judges(options),
        _ => Ok(Vec::new()),
    }
}

/// Returns the effort of an aggregator. One that cannot be read counts as a check.
pub(super) fn effort(options: Option<&Options<'_>>) -> Effort {
    match kind(options) {
        Ok(Kind::WeightedAverage | Kind::Minimum | Kind::Maximum | Kind::Threshold) | Err(_) => {
            Effort::Check
        }
        Ok(Kind::CodeJudge) => Effort::Script,
        Ok(Kind::LlmJudge) => Effort::Judge,
    }
}

/// Returns true if an aggregator runs a command.
pub(super) fn runs_commands(options: Option<&Options<'_>>) -> bool {
    match kind(options) {
        Ok(Kind::CodeJudge) => true,
        Ok(Kind::LlmJudge) => options.is_some_and(judge::runs_prompt_script),
        Ok(Kind::WeightedAverage | Kind::Minimum | Kind::Maximum | Kind::Threshold) | Err(_) => {
            false
        }
    }
}

/// Returns the files that an aggregator reads.
pub(super) fn files(options: Option<&Options<'_>>, root: &Path) -> Vec<PathBuf> {
    match (kind(options), options) {
        (Ok(Kind::CodeJudge), Some(options)) => script::files_in("path", options, root),
        (Ok(Kind::LlmJudge), Some(options)) => judge::prompt_files(options, root),
        (
            Ok(Kind::WeightedAverage | Kind::Minimum | Kind::Maximum | Kind::Threshold) | Err(_),
            _,
        )
        | (_, None) => Vec::new(),
    }
}

impl Aggregator {
    /// Builds the aggregator, the weighted average by default.
    pub(super) fn of(
        options: Option<&Options<'_>>,
        builder: &Builder,
    ) -> Result<Aggregator, BuildError> {
        match (kind(options)?, options) {
            (Kind::WeightedAverage, _) | (_, None) => Ok(Aggregator::WeightedAverage),
            (Kind::Minimum, Some(_)) => Ok(Aggregator::Minimum),
            (Kind::Maximum, Some(_)) => Ok(Aggregator::Maximum),
            (Kind::Threshold, Some(options)) => {
                options.required("threshold")?;
                let least = options.fraction("threshold")?;
                Ok(Aggregator::Threshold {
                    least: least.and_then(PassThreshold::new).unwrap_or_default(),
                })
            }
            (Kind::CodeJudge, Some(options)) => Ok(Aggregator::Script {
                script: Script::of_file(options, builder, "aggregator's script")?,
                root: builder.context().root.clone(),
            }),
            (Kind::LlmJudge, Some(options)) => {
                options.required("prompt")?;
                Ok(Aggregator::Judge(JudgeEvaluator {
                    prompt: PromptSource::of(options, builder)?,
                    form: judge::Form::Free,
                    panel: Panel::of(options)?,
                    outcome: None,
                }))
            }
        }
    }

    /// Combines results into one evaluation.
    pub(super) async fn join(
        &self,
        subject: &Subject<'_>,
        results: &[EvaluatorResult],
    ) -> Result<Evaluation, EvaluatorError> {
        match self {
            Aggregator::WeightedAverage => Ok(average(results)),
            Aggregator::Minimum => Ok(extreme(results, Ordering::Less)),
            Aggregator::Maximum => Ok(extreme(results, Ordering::Greater)),
            Aggregator::Threshold { least } => Ok(share(results, *least)),
            Aggregator::Script { script, root } => {
                let turn = script.turn().await.map_err(could_not_judge)?;
                let mut input = input::of(subject, root);
                input.insert("results".to_owned(), by_name(results));
                let input = input::configured(input, &Extra::new());
                let printed = turn.run(input, &[]).await.map_err(could_not_judge)?;
                let read = output::read_decision(&printed.stdout, subject.pass_threshold());
                read.map_err(|problem| could_not_judge(printed.unusable(problem)))
            }
            Aggregator::Judge(judge) => {
                let results = by_name(results);
                let results = serde_json::to_string_pretty(&results).unwrap_or_default();
                judge.judge(subject, Some(&results)).await
            }
        }
    }
}

/// Returns results by the names of their evaluators.
fn by_name(results: &[EvaluatorResult]) -> Value {
    let results = results.iter().map(|result| {
        let value = serde_json::to_value(result).unwrap_or_default();
        (result.name.clone(), value)
    });
    Value::Object(results.collect())
}

/// Returns the weighted mean of the scores. Members that were not asked do not count.
pub(super) fn average(results: &[EvaluatorResult]) -> Evaluation {
    let scores = results.iter();
    let scores = scores.filter_map(|result| Some((result.score?, result.weight)));
    let mut evaluation = Evaluation::of(Score::weighted_mean(scores.clone()));
    if scores.clone().count() > 0 && scores.map(|(_, weight)| weight).all(|weight| weight == 0.0) {
        let said = "all weights of the members are 0, so the score is 0";
        evaluation.misses.push(said.to_owned());
    }
    evaluation
}

/// Returns the lowest or highest of the scores, whatever the weights. Members that were not asked do not
/// count.
fn extreme(results: &[EvaluatorResult], wanted: Ordering) -> Evaluation {
    let scores = results.iter().filter_map(|result| result.score);
    let found = scores.reduce(|best, score| {
        if score.value().total_cmp(&best.value()) == wanted {
            score
        } else {
            best
        }
    });
    Evaluation::of(found.unwrap_or(Score::ZERO))
}

/// Adds the findings of the members, under their names, after those of the aggregator.
pub(super) fn with_findings(
    evaluation: Evaluation,
    results: &[EvaluatorResult],
    threshold: PassThreshold,
) -> Evaluation {
    let mut findings = Findings::default();
    for result in results {
        let Some(score) = result.score else {
            continue;
        };
        let name = &result.name;
        for hit in &result.hits {
            findings.add(true, || format!("[{name}] {hit}"));
        }
        for miss in &result.misses {
            findings.add(false, || format!("[{name}] {miss}"));
        }
        if result.hits.is_empty() && result.misses.is_empty() {
            let verdict = result.verdict;
            findings.add(verdict == Some(Verdict::Pass), || {
                let score = shown_score(score, threshold);
                let verdict = verdict.unwrap_or(Verdict::Fail).as_str();
                format!("[{name}] {verdict} ({score})")
            });
        }
    }
    let of_members = findings.evaluation(evaluation.score);
    let [mut hits, mut misses] = [evaluation.hits, evaluation.misses];
    hits.extend(of_members.hits);
    misses.extend(of_members.misses);
    Evaluation {
        hits,
        misses,
        ..evaluation
    }
}

/// Returns 1 if enough members passed, and 0 if not.
fn share(results: &[EvaluatorResult], least: PassThreshold) -> Evaluation {
    let asked = results.iter().filter(|result| result.score.is_some());
    let passed = asked.clone().filter(|it| it.verdict == Some(Verdict::Pass));
    let (passed, asked) = (passed.count(), asked.count());
    let share = Score::ratio(passed as f64, asked.max(1) as f64);
    let is_met = share.verdict(least) == Verdict::Pass;
    let mut findings = Findings::default();
    findings.add(is_met, || {
        format!("{passed} of {asked} evaluators passed, expected a share of at least {least}")
    });
    Evaluation {
        verdict: Some(if is_met { Verdict::Pass } else { Verdict::Fail }),
        details: Some(json!({"passed": passed, "members": asked, "share": share})),
        ..findings.evaluation(Score::of(is_met))
    }
}
