//! Answers that people graded, from an eval file.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use agentv_core::{
    CaseIdentity, Effort, EvalCase, EvaluatorSpec, Judge, Message, RanFile, Score, Timing,
    Transcript, TranscriptRecord, Verdict,
};
use agentv_dataset::{
    Checked, Code, Dataset, Diagnostic, LoadOptions, Project as ProjectFolder, Severity,
};
use agentv_runner::{
    AnswerSource, EvalFile, FileJudges, GivenRecord, Graders, SourceError, VisitGiven,
    digest_of_file, digest_of_text,
};
use agentv_syntax::Problem;
use serde_json::Value;

use crate::error::ProjectError;
use crate::notices::Notices;

/// A person's grade of an answer.
#[derive(Debug, Clone, Copy)]
pub struct HumanLabel {
    /// The verdict.
    pub verdict: Verdict,
    /// The score, if the person gave one.
    pub score: Option<Score>,
}

/// An eval file with answers and labels, checked as a whole.
pub(super) struct LabelledAnswers {
    pub(super) file: Arc<EvalFile>,
    dataset: Dataset,
    checked: Checked,
    timestamp: String,
}

/// The content of the file that a calibration needs.
pub(super) struct LabelsFound {
    /// The labels, by the ids of their cases.
    pub(super) labels: HashMap<String, HumanLabel>,
    pub(super) judges: FileJudges,
}

impl LabelledAnswers {
    /// Opens and checks the file. Any error in a case makes it unusable.
    pub(super) fn open(
        path: &Path,
        options: &LoadOptions,
        timestamp: String,
        notices: &mut dyn Notices,
    ) -> Result<LabelledAnswers, ProjectError> {
        let opened = Dataset::open(path, options);
        let dataset = opened.map_err(|error| ProjectError::Problems(vec![*error.diagnostic]))?;
        let mut is_wrong = false;
        let checked = dataset.check(&mut |diagnostic| {
            is_wrong |= diagnostic.severity() != Severity::Warning;
            notices.problem(diagnostic);
            ControlFlow::Continue(())
        });
        if is_wrong {
            return Err(ProjectError::because(
                "nothing was judged because of the errors above",
            ));
        }
        let project = dataset.project();
        let name = path.file_name().unwrap_or_default();
        let file = EvalFile {
            index: 0,
            name: project.display(&project.folder.join(name)).into(),
            folder: project.folder.as_path().into(),
            root: project.root.as_path().into(),
        };
        Ok(LabelledAnswers {
            file: Arc::new(file),
            dataset,
            checked,
            timestamp,
        })
    }

    pub(super) fn folder(&self) -> &ProjectFolder {
        self.dataset.project()
    }

    /// Returns the file as `run.json` lists it.
    pub(super) fn ran(&self, path: &Path) -> Result<RanFile, ProjectError> {
        let digest = digest_of_file(path).map_err(|error| {
            ProjectError::because(format!("cannot read `{}`: {error}", path.display()))
        })?;
        Ok(RanFile {
            skipped_cases: Vec::new(),
            settings_digest: None,
            path: self.file.name.to_string(),
            digest,
            cases: self.checked.cases,
            skipped: 0,
        })
    }

    /// Reads the labels, and finds the judges that are asked.
    pub(super) fn find_labels(&self, graders: &dyn Graders) -> Result<LabelsFound, ProjectError> {
        let mut found = LabelsFound {
            labels: HashMap::new(),
            judges: FileJudges::default(),
        };
        let mut problems = Vec::new();
        let mut unusable = None;
        self.each_case(&mut |case| {
            let (label, wrong) = label_of(&case);
            let answer = answer_of(&case);
            let wrong = wrong.into_iter().chain(answer.err());
            problems.extend(wrong.map(|wrong| diagnostic(&case, wrong)));
            if let Some(label) = label {
                found.labels.insert(case.id.clone(), label);
            }
            let case = judged(case);
            match graders.judges(&case) {
                Ok(judges) => note(&mut found, &case, judges),
                Err(reason) => unusable = Some(format!("case `{}`: {reason}", case.id)),
            }
            ControlFlow::Continue(())
        })
        .map_err(|error| ProjectError::because(error.to_string()))?;
        match unusable {
            _ if !problems.is_empty() => Err(ProjectError::Problems(problems)),
            Some(reason) => Err(ProjectError::because(reason)),
            None => Ok(found),
        }
    }

    fn each_case(
        &self,
        each: &mut dyn FnMut(EvalCase) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        for case in self
            .dataset
            .cases(&self.checked)
            .map_err(SourceError::load)?
        {
            if each(case.map_err(SourceError::load)?).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn record_of(&self, case: EvalCase) -> TranscriptRecord {
        let transcript = answer_of(&case).unwrap_or_default();
        let said = serde_json::to_string(&transcript).unwrap_or_default();
        let key = format!("{}\n{}\n{said}", self.file.name, case.id);
        let case = judged(case);
        TranscriptRecord {
            timestamp: self.timestamp.clone(),
            eval_file: Arc::clone(&self.file.name),
            position: None,
            eval_id: case.id.clone(),
            target: case.execution.target.as_str().into(),
            trial: 1,
            answer_key: digest_of_text(&key),
            identity: Some(CaseIdentity::of(&case)),
            case: Arc::new(case),
            transcript,
            timing: Timing::default(),
            attempts: 0,
            cached: false,
            redacted: false,
            dry_run: false,
            error: None,
            unfinished: false,
            outdated: false,
            of_other_run: false,
        }
    }
}

impl AnswerSource for LabelledAnswers {
    fn visit(&self, visit: &mut VisitGiven<'_>) -> Result<(), SourceError> {
        self.each_case(&mut |case| {
            visit(
                &self.file,
                GivenRecord::Answer(Box::new(self.record_of(case))),
            )
        })
    }
}

fn note(found: &mut LabelsFound, case: &EvalCase, judges: Vec<Judge>) {
    let target = &case.execution.target;
    for judge in judges {
        match judge {
            Judge::Usual => found.judges.judged.insert(target.clone()),
            Judge::Named(name) => found.judges.named.insert(name),
        };
    }
}

/// Keeps the evaluators of a case that ask a judge; without any, adds the default one.
fn judged(mut case: EvalCase) -> EvalCase {
    let asks = |spec: &EvaluatorSpec| agentv_evaluators::effort(spec) == Effort::Judge;
    let mut evaluators = case.evaluators.to_vec();
    evaluators.retain(asks);
    if evaluators.is_empty() && case.rubrics.is_empty() {
        evaluators.push(EvaluatorSpec::of_kind(EvaluatorSpec::DEFAULT_KIND));
    }
    case.evaluators = evaluators.into();
    case
}

/// A problem with a field of a case.
struct WrongField {
    field: &'static str,
    code: Code,
    message: String,
}

impl WrongField {
    fn new(field: &'static str, code: Code, message: impl Into<String>) -> WrongField {
        WrongField {
            field,
            code,
            message: message.into(),
        }
    }
}

fn diagnostic(case: &EvalCase, wrong: WrongField) -> Diagnostic {
    let source = case.source.as_ref();
    let file: Arc<str> = source.map_or("", |source| source.file.as_str()).into();
    let problem = Problem::error(wrong.code, 0..0, wrong.message).at(wrong.field);
    Diagnostic {
        line: source.map(|source| source.line),
        ..Diagnostic::of_file(&file, problem)
    }
}

/// Returns the label of a case, and all problems with its fields.
fn label_of(case: &EvalCase) -> (Option<HumanLabel>, Vec<WrongField>) {
    let mut wrong = Vec::new();
    let mut field =
        |name: &'static str, read: &dyn Fn(&Value) -> Option<HumanLabel>, expected: &str| {
            let value = case.extra.get(name).filter(|value| !value.is_null())?;
            let label = read(value);
            if label.is_none() {
                let message = format!("expected {expected}, found {value}");
                wrong.push(WrongField::new(name, Code::OutOfRange, message));
            }
            label
        };
    let score = field(
        "human_score",
        &|value| {
            let score = Score::new(value.as_f64()?)?;
            let verdict = score.verdict(case.pass_threshold.unwrap_or_default());
            let score = Some(score);
            Some(HumanLabel { verdict, score })
        },
        "a number from 0 to 1",
    );
    let verdict = field(
        "human_verdict",
        &|value| {
            let verdict = serde_json::from_value(value.clone()).ok()?;
            let score = None;
            Some(HumanLabel { verdict, score })
        },
        "`pass`, `borderline` or `fail`",
    );
    let label = match (score, verdict) {
        (Some(score), Some(verdict)) => Some(HumanLabel {
            verdict: verdict.verdict,
            ..score
        }),
        (score, verdict) => score.or(verdict),
    };
    if label.is_none() && wrong.is_empty() {
        let message = "the answer has no human grade, expected `human_score` or `human_verdict`";
        wrong.push(WrongField::new("human_score", Code::MissingField, message));
    }
    (label, wrong)
}

/// Returns the answer that the person graded.
fn answer_of(case: &EvalCase) -> Result<Transcript, WrongField> {
    let given = |name: &str| case.extra.get(name).filter(|value| !value.is_null());
    if let Some(messages) = given("output_messages") {
        let wrong = |found: String| {
            let message = format!("expected an array of messages: {found}");
            WrongField::new("output_messages", Code::WrongType, message)
        };
        let messages = serde_json::from_value::<Vec<Message>>(messages.clone());
        let output_messages = messages.map_err(|error| wrong(error.to_string()))?;
        return Ok(Transcript {
            output_messages,
            ..Transcript::default()
        });
    }
    match given("candidate_answer") {
        Some(Value::String(answer)) => Ok(Transcript::of_text(answer.as_str())),
        Some(other) => {
            let message = format!("expected a string, found {other}");
            Err(WrongField::new(
                "candidate_answer",
                Code::WrongType,
                message,
            ))
        }
        None => {
            let message =
                "the case has no answer to judge, expected `candidate_answer` or `output_messages`";
            Err(WrongField::new(
                "candidate_answer",
                Code::MissingField,
                message,
            ))
        }
    }
}
