//! The two digests that decide what a resume has to do again.

use agentv_core::{EvalCase, EvaluatorSpec, Extra, Message, Rubric, Target};
use serde::Serialize;

use crate::eval_file::EvalFile;

/// Computes the keys of trials, one after the other, in the same memory.
///
/// The *answer key* covers everything that can change an answer: the eval file's path, the case's
/// id, its input with the bytes of its files, the target's settings, and the trial's number. The
/// *grade key* covers that and everything that can change the grade: expected values, evaluators.
#[derive(Debug)]
pub(crate) struct Keys {
    target: String,
    buffer: Vec<u8>,
}

/// The keys of a case that do not depend on the trial's number.
#[derive(Debug)]
pub(crate) struct CaseKeys {
    answer: blake3::Hasher,
    grade: blake3::Hash,
}

#[derive(Serialize)]
struct Question<'a> {
    target: &'a str,
    eval_file: &'a str,
    id: &'a str,
    input: &'a [Message],
    guidelines: &'a [String],
    variables: &'a Extra,
}

#[derive(Serialize)]
struct Grading<'a> {
    outcome: Option<&'a str>,
    expected: &'a [Message],
    evaluators: &'a [EvaluatorSpec],
    rubrics: &'a [Rubric],
    #[serde(flatten)]
    by: &'a GradedBy,
}

/// What a grade depends on beyond the case.
#[derive(Debug, Default, Serialize)]
pub(crate) struct GradedBy {
    /// Digests of the files that the evaluators use.
    pub(crate) files: Vec<String>,
    /// What can change the judgement of those that are asked.
    pub(crate) judges: Vec<String>,
    /// Whether a required evaluator may spare others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stops_on_required: bool,
}

/// Everything of a target that can change its answers.
pub(crate) fn identity(target: &Target) -> String {
    serde_json::json!([target.name, target.kind, target.settings]).to_string()
}

impl Keys {
    pub(crate) fn of(target: &Target) -> Keys {
        Keys {
            target: identity(target),
            buffer: Vec::new(),
        }
    }

    /// The keys of a case.
    pub(crate) fn of_case(&mut self, file: &EvalFile, case: &EvalCase, by: &GradedBy) -> CaseKeys {
        let mut answer = blake3::Hasher::new();
        self.buffer.clear();
        // Writing to memory does not fail, nor do values that were read from JSON.
        let _ = serde_json::to_writer(
            &mut self.buffer,
            &Question {
                target: &self.target,
                eval_file: &file.name,
                id: &case.id,
                input: &case.input_messages,
                guidelines: &case.guideline_files,
                variables: &case.variables,
            },
        );
        answer.update(&self.buffer);
        CaseKeys {
            answer,
            grade: digest_of_grading(case, by, &mut self.buffer),
        }
    }
}

/// A digest of everything but the answer that can change a grade.
fn digest_of_grading(case: &EvalCase, by: &GradedBy, buffer: &mut Vec<u8>) -> blake3::Hash {
    buffer.clear();
    let grading = Grading {
        outcome: case.expected_outcome.as_deref(),
        expected: &case.expected_messages,
        evaluators: &case.evaluators,
        rubrics: &case.rubrics,
        by,
    };
    let _ = serde_json::to_writer(&mut *buffer, &grading);
    blake3::hash(buffer)
}

/// The grade key of an answer that is there already.
pub(crate) fn grade_key(
    answer_key: &str,
    case: &EvalCase,
    by: &GradedBy,
    buffer: &mut Vec<u8>,
) -> String {
    joined(answer_key, &digest_of_grading(case, by, buffer))
}

impl CaseKeys {
    /// The answer key and the grade key of a trial.
    pub(crate) fn of_trial(&self, trial: u32) -> (String, String) {
        let mut answer = self.answer.clone();
        answer.update(b"\ntrial ");
        answer.update(trial.to_string().as_bytes());
        let answer = short(&answer.finalize());
        let grade = joined(&answer, &self.grade);
        (answer, grade)
    }
}

fn joined(answer_key: &str, grading: &blake3::Hash) -> String {
    let mut grade = blake3::Hasher::new();
    grade.update(answer_key.as_bytes());
    grade.update(grading.as_bytes());
    short(&grade.finalize())
}

/// 128 bits as 32 hexadecimal digits: no two of a run are the same by accident.
fn short(hash: &blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::sync::Arc;

    use crate::testing;

    fn keys_of(case: &EvalCase, trial: u32) -> (String, String) {
        let file = EvalFile {
            index: 0,
            name: "evals/a.yaml".into(),
            folder: Arc::from(Path::new("/p/evals")),
            root: Arc::from(Path::new("/p")),
        };
        let mut keys = Keys::of(&testing::target("mock"));
        keys.of_case(&file, case, &GradedBy::default())
            .of_trial(trial)
    }

    #[test]
    fn what_can_change_the_answer_changes_both_keys_and_what_grades_only_one() {
        let case = testing::case("a", "What is 2+2?");
        let (answer, grade) = keys_of(&case, 1);
        assert_eq!(keys_of(&case, 1), (answer.clone(), grade.clone()));
        let mut graded = case.clone();
        Arc::make_mut(&mut graded.evaluators)[0]
            .options
            .insert("value".to_owned(), "5".into());
        let regraded = keys_of(&graded, 1);
        assert_eq!(regraded.0, answer);
        assert_ne!(regraded.1, grade);
        for other in [
            keys_of(&case, 2),
            keys_of(&testing::case("b", "What is 2+2?"), 1),
            keys_of(&testing::case("a", "What is 2+3?"), 1),
        ] {
            assert_ne!(other.0, answer);
            assert_ne!(other.1, grade);
        }
    }
}
