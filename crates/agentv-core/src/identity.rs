//! The identity of a case, an answer and a grade: the one place that decides what makes them differ.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    EvalCase, EvaluatorSpec, Extra, Message, PassThreshold, Program, Rubric, Target, TurnFailure,
    WorkspaceSource, WorkspaceSpec, append_json,
};

/// A digest of 128 bits: no two are equal by accident.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 16]);

impl Digest {
    /// Returns the digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest::from(blake3::hash(bytes))
    }

    /// Returns the digest of several texts. Each counts with its length, so that `ab`, `c` and `a`, `bc` differ.
    pub fn of_texts(texts: &[&str]) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for text in texts {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        Digest::from(hasher.finalize())
    }

    /// Returns the digest of a target's settings.
    pub fn of_settings(settings: &Extra) -> Digest {
        Digest::of(&serde_json::to_vec(settings).unwrap_or_default())
    }

    /// Returns the first 64 bits, for tables that tell few digests apart.
    pub fn short(self) -> u64 {
        self.0
            .first_chunk()
            .copied()
            .map(u64::from_le_bytes)
            .unwrap_or_default()
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Digest {
        let bytes = hash.as_bytes().first_chunk().copied();
        Digest(bytes.unwrap_or_default())
    }
}

impl Digest {
    /// Returns the digest as 32 hexadecimal digits.
    fn hex(self) -> String {
        hex(self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

/// Returns bytes as hexadecimal digits.
fn hex(bytes: [u8; 16]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = [0; 32];
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    // Digits are valid UTF-8.
    std::str::from_utf8(&digits).unwrap_or_default().to_owned()
}

/// The identity of a case: two digests that change when the case asks or expects something else.
///
/// The position of a case, its id, its dataset and its target are not part of it. In JSON it is one text
/// of 32 hexadecimal digits, half for each digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseIdentity {
    /// A digest of everything in the case that can change an answer.
    pub question: u64,
    /// A digest of everything in the case that can change the grade of an answer.
    pub grading: u64,
}

impl Serialize for CaseIdentity {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let both = (u128::from(self.question) << 64) | u128::from(self.grading);
        serializer.serialize_str(&hex(both.to_be_bytes()))
    }
}

impl<'de> Deserialize<'de> for CaseIdentity {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let number = |digits: Option<&str>| u64::from_str_radix(digits?, 16).ok();
        let identity = (text.len() == 32)
            .then(|| (number(text.get(..16)), number(text.get(16..))))
            .and_then(|(question, grading)| {
                Some(CaseIdentity {
                    question: question?,
                    grading: grading?,
                })
            });
        identity.ok_or_else(|| {
            let found = serde::de::Unexpected::Str(&text);
            serde::de::Error::invalid_value(found, &"32 hexadecimal digits")
        })
    }
}

impl CaseIdentity {
    /// Returns the identity of a case.
    pub fn of(case: &EvalCase) -> CaseIdentity {
        Identities::default().of_case(case)
    }

    /// Returns a number for both digests, for tables of many cases.
    pub fn short(&self) -> u64 {
        self.question ^ self.grading.rotate_left(1)
    }

    /// Returns the identity of a recorded case: the recorded one, or that of `case` in records without
    /// one.
    ///
    /// # Errors
    /// Fails if it was not recorded and `case` is not a case.
    pub fn recorded(
        recorded: Option<CaseIdentity>,
        case: &RawValue,
    ) -> serde_json::Result<CaseIdentity> {
        match recorded {
            Some(identity) => Ok(identity),
            None => serde_json::from_str(case.get()).map(|case| CaseIdentity::of(&case)),
        }
    }
}

#[derive(Serialize)]
struct QuestionFields<'a> {
    input_messages: &'a [Message],
    guideline_files: &'a [String],
    variables: &'a Extra,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turns: Vec<&'a [Message]>,
    #[serde(skip_serializing_if = "TurnFailure::is_default")]
    on_turn_failure: TurnFailure,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<WorkspaceFields<'a>>,
}

/// The parts of a workspace that the target can see.
#[derive(Serialize)]
struct WorkspaceFields<'a> {
    from: Option<(&'static str, &'a str)>,
    setup: &'a [Vec<String>],
}

#[derive(Serialize)]
struct GradingFields<'a> {
    expected_outcome: Option<&'a str>,
    expected_messages: &'a [Message],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turns: Vec<&'a [Message]>,
    evaluators: u64,
    rubrics: &'a [Rubric],
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_threshold: Option<PassThreshold>,
}

/// Computes identities one after the other, in the same memory.
#[derive(Debug, Default)]
pub struct Identities {
    buffer: Vec<u8>,
    /// The evaluators of the last case: most cases of a file share theirs.
    shared: Option<(Arc<[EvaluatorSpec]>, Digest)>,
}

impl Identities {
    /// Returns the identity of a case.
    pub fn of_case(&mut self, case: &EvalCase) -> CaseIdentity {
        // Every field is named: a new one must be put on one of the two sides, or on neither.
        let EvalCase {
            id: _,
            dataset: _,
            conversation_id: _,
            expected_outcome,
            input_messages,
            turns,
            on_turn_failure,
            depends_on: _,
            on_dependency_failure: _,
            expected_messages,
            execution: _,
            evaluators,
            pass_threshold,
            rubrics,
            guideline_files,
            workspace,
            variables,
            source: _,
            extra: _,
        } = case;
        let question = self.digest(&QuestionFields {
            input_messages,
            guideline_files,
            variables,
            turns: turns.iter().map(|turn| &*turn.input_messages).collect(),
            on_turn_failure: *on_turn_failure,
            workspace: workspace.as_deref().map(workspace_fields),
        });
        let evaluators = self.evaluators(evaluators);
        let grading = self.digest(&GradingFields {
            expected_outcome: expected_outcome.as_deref(),
            expected_messages,
            turns: turns.iter().map(|turn| &*turn.expected_messages).collect(),
            evaluators: evaluators.short(),
            rubrics,
            // To write the default is to write nothing.
            pass_threshold: pass_threshold.filter(|own| *own != PassThreshold::default()),
        });
        CaseIdentity {
            question: question.short(),
            grading: grading.short(),
        }
    }

    fn evaluators(&mut self, evaluators: &Arc<[EvaluatorSpec]>) -> Digest {
        if let Some((shared, digest)) = &self.shared
            && Arc::ptr_eq(shared, evaluators)
        {
            return *digest;
        }
        let digest = self.digest(&**evaluators);
        self.shared = Some((Arc::clone(evaluators), digest));
        digest
    }

    fn digest<T: Serialize + ?Sized>(&mut self, value: &T) -> Digest {
        self.buffer.clear();
        // Writing to memory does not fail, nor do values that were read from JSON.
        let _ = append_json(&mut self.buffer, value);
        Digest::of(&self.buffer)
    }
}

/// Returns what the target can see of a workspace. `teardown` and `keep` come after the answer.
fn workspace_fields(workspace: &WorkspaceSpec) -> WorkspaceFields<'_> {
    let WorkspaceSpec {
        from,
        setup,
        teardown: _,
        keep: _,
        timeout_seconds: _,
    } = workspace;
    WorkspaceFields {
        from: from.as_ref().map(WorkspaceSource::content),
        setup,
    }
}

/// The parts of a grade's identity that are not in the case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GradedBy {
    /// Digests of the files that the evaluators read.
    pub files: Vec<String>,
    /// Digests of the judges that are asked.
    pub judges: Vec<String>,
    /// True if a failed required evaluator may spare others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stops_on_required: bool,
}

impl GradedBy {
    /// Returns a digest of all parts.
    pub fn digest(&self) -> Digest {
        Digest::of(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// The two digests of a trial that decide what a resume has to do again.
///
/// They are texts, because an answer keeps the key that it was recorded with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialKeys {
    /// A digest of everything that can change the answer.
    pub answer: String,
    /// A digest of that and of everything that can change the grade.
    pub grade: String,
}

impl TrialKeys {
    /// Returns the keys of a trial. `grading` is of its case, `by` of everything else that grades.
    pub fn new(answer: String, grading: u64, by: Digest) -> TrialKeys {
        // A key is short: it is hashed in one go.
        let parts = [answer.as_bytes(), &grading.to_le_bytes(), &by.0].concat();
        let grade = Digest::of(&parts).hex();
        TrialKeys { answer, grade }
    }
}

/// Returns a digest of everything that can change the answers of a target with this program.
pub fn target_digest(target: &Target, program: &Program) -> Digest {
    let settings = target.settings_digest.to_string();
    let parts = serde_json::json!([target.name, target.kind, settings, program]);
    Digest::of(parts.to_string().as_bytes())
}

/// The answer keys of one case on one target.
#[derive(Debug, Clone)]
pub struct AnswerKeys(Vec<u8>);

impl AnswerKeys {
    /// Starts the keys of a case. `target` is the digest of the target.
    pub fn new(target: Digest, eval_file: &str, eval_id: &str, question: u64) -> AnswerKeys {
        let length = (eval_file.len() as u64).to_le_bytes();
        let parts: [&[u8]; 5] = [
            &target.0,
            &question.to_le_bytes(),
            &length,
            eval_file.as_bytes(),
            eval_id.as_bytes(),
        ];
        AnswerKeys(parts.concat())
    }

    /// Returns the answer key of a trial by its number.
    pub fn of_trial(&mut self, number: u32) -> String {
        let case = self.0.len();
        self.0.extend_from_slice(&number.to_le_bytes());
        let key = Digest::of(&self.0).hex();
        self.0.truncate(case);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> EvalCase {
        let json = serde_json::json!({
            "id": "a", "dataset": "d", "expected_outcome": "right",
            "input_messages": [{"role": "user", "content": "What is 2+2?"}],
            "evaluators": [{"name": "contains", "type": "contains", "value": "4"}],
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn each_field_of_a_case_changes_the_question_or_the_grading_or_neither() {
        let before = CaseIdentity::of(&case());
        type Change = fn(&mut EvalCase);
        let question: [Change; 3] = [
            |case| case.input_messages.push(case.input_messages[0].clone()),
            |case| case.guideline_files.push("a.md".to_owned()),
            |case| drop(case.variables.insert("n".to_owned(), 2.5.into())),
        ];
        for change in question {
            let mut changed = case();
            change(&mut changed);
            let after = CaseIdentity::of(&changed);
            assert_ne!(after.question, before.question);
            assert_eq!(after.grading, before.grading);
        }
        let grading: [Change; 5] = [
            |case| case.pass_threshold = PassThreshold::new(0.5),
            |case| case.expected_outcome = None,
            |case| case.expected_messages = case.input_messages.clone(),
            |case| case.evaluators = Arc::default(),
            |case| {
                let rubric = serde_json::json!({"id": "r", "expected_outcome": "x"});
                case.rubrics.push(serde_json::from_value(rubric).unwrap());
            },
        ];
        for change in grading {
            let mut changed = case();
            change(&mut changed);
            let after = CaseIdentity::of(&changed);
            assert_eq!(after.question, before.question);
            assert_ne!(after.grading, before.grading);
        }
        let neither: [Change; 4] = [
            |case| case.pass_threshold = Some(PassThreshold::default()),
            |case| case.id = "b".to_owned(),
            |case| case.execution.target = "other".to_owned(),
            |case| drop(case.extra.insert("owner".to_owned(), "me".into())),
        ];
        for change in neither {
            let mut changed = case();
            change(&mut changed);
            assert_eq!(CaseIdentity::of(&changed), before);
        }
    }

    #[test]
    fn the_files_and_the_setup_of_a_workspace_belong_to_the_question() {
        let folder = |path: &str, digest: &str| WorkspaceSource::Folder {
            path: path.to_owned(),
            digest: digest.to_owned(),
        };
        let with = |workspace: WorkspaceSpec| {
            let mut case = case();
            case.workspace = Some(Arc::new(workspace));
            CaseIdentity::of(&case)
        };
        let of = |from, setup: &[&[&str]], keep| {
            let setup = setup
                .iter()
                .map(|argv| argv.iter().map(|&word| word.into()).collect());
            with(WorkspaceSpec {
                from,
                setup: setup.collect(),
                keep,
                ..WorkspaceSpec::default()
            })
        };
        let never = crate::KeepWorkspace::Never;
        let first = of(Some(folder("a", "1")), &[&["npm", "ci"]], never);
        assert_eq!(of(Some(folder("b", "1")), &[&["npm", "ci"]], never), first);
        let always = crate::KeepWorkspace::Always;
        assert_eq!(of(Some(folder("a", "1")), &[&["npm", "ci"]], always), first);
        let others = [
            CaseIdentity::of(&case()),
            with(WorkspaceSpec::default()),
            of(Some(folder("a", "2")), &[&["npm", "ci"]], never),
            of(Some(folder("a", "1")), &[&["npm"], &["ci"]], never),
            of(None, &[&["npm", "ci"]], never),
        ];
        for (at, other) in others.iter().enumerate() {
            assert_ne!(other.question, first.question);
            assert_eq!(other.grading, first.grading);
            assert!(!others[..at].contains(other));
        }
    }

    #[test]
    fn a_case_that_was_written_and_read_has_the_same_identity() {
        let mut case = case();
        case.variables.insert("n".to_owned(), 2.5.into());
        let read: EvalCase = serde_json::from_str(&serde_json::to_string(&case).unwrap()).unwrap();
        assert_eq!(CaseIdentity::of(&read), CaseIdentity::of(&case));
    }

    #[test]
    fn an_identity_is_written_and_read_as_32_digits() {
        let identity = CaseIdentity::of(&case());
        let text = serde_json::to_string(&identity).unwrap();
        assert_eq!(text.len(), 34);
        assert_eq!(
            serde_json::from_str::<CaseIdentity>(&text).unwrap(),
            identity
        );
        let not_ascii = format!("\"{}é\"", "0".repeat(30));
        for wrong in ["\"12\"", "\"zz\"", "7", &not_ascii] {
            assert!(serde_json::from_str::<CaseIdentity>(wrong).is_err());
        }
    }

    #[test]
    fn answer_keys_differ_by_target_file_case_question_and_number() {
        let question = 7;
        let key = |target: &[u8], file, id, question, number| {
            AnswerKeys::new(Digest::of(target), file, id, question).of_trial(number)
        };
        let all = [
            key(b"t", "f", "i", question, 1),
            key(b"u", "f", "i", question, 1),
            key(b"t", "g", "i", question, 1),
            key(b"t", "f", "j", question, 1),
            key(b"t", "fi", "", question, 1),
            key(b"t", "f", "i", 8, 1),
            key(b"t", "f", "i", question, 2),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one));
        }
    }
}
