//! Any bytes as the output of a command, for one case or for all of them, or as a recording.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Cause, ProviderError, Request, Transcript};
use agentv_providers::fuzzing::{of_batch, of_output};
use agentv_providers::{Environment, Surroundings, Targets};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{comes_back, is_a_sentence};

/// The ids that are asked for, the second one twice.
const IDS: [&str; 3] = ["a", "b", "b"];

/// A project with a recording that is overwritten for each input.
pub struct Commands {
    runtime: Runtime,
    root: TempDir,
    targets: Targets,
    requests: Vec<Request>,
}

impl Default for Commands {
    fn default() -> Commands {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let root = root.expect("a temporary folder");
        let file = json!({"targets": [
            {"name": "answers", "provider": "replay", "path": "answers.jsonl"},
            {"name": "run", "provider": "replay", "path": "transcripts.jsonl"},
        ]});
        let path = root.path().join("targets.yaml");
        fs::write(&path, file.to_string()).expect("the targets file");
        let surroundings = Surroundings {
            folder: root.path().to_owned(),
            root: root.path().to_owned(),
            working_dir: root.path().to_owned(),
        };
        let targets = Targets::read(&path, &Arc::from("targets.yaml"), &surroundings);
        let request = Request::of_text("Hi", root.path().into(), Duration::from_secs(60));
        let request = |id: &str| Request {
            eval_id: id.to_owned(),
            ..request.clone()
        };
        Commands {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime"),
            requests: IDS.map(request).to_vec(),
            targets: targets.expect("targets"),
            root,
        }
    }
}

impl Commands {
    /// Checks that the output gives a transcript or an error, the same one twice. A transcript can be
    /// recorded, and written as the fields of an answer it is read back unchanged. Each case of a batch
    /// gets an answer or an error of its own.
    pub fn cli_output(&self, bytes: &[u8]) {
        for name in ["answers", "transcripts"] {
            self.recording(name, bytes);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return;
        };
        let read = of_output(text);
        assert_eq!(of_output(text), read, "read again");
        match &read {
            Ok(transcript) => {
                comes_back(transcript);
                let anew = of_output(&in_fields(transcript).to_string());
                let mut expected = transcript.clone();
                // A figure that was ignored is not written.
                expected.warnings.clear();
                assert_eq!(anew, Ok(expected), "said in fields");
            }
            Err(error) => is_a_sentence(&error.to_string()),
        }
        self.batch(text);
    }

    fn batch(&self, text: &str) {
        let read = of_batch(text, &self.requests);
        assert_eq!(of_batch(text, &self.requests), read, "read again");
        let answers = match read {
            Ok(answers) => answers,
            Err(error) => return holds(&error),
        };
        assert_eq!(answers.len(), self.requests.len());
        answers.iter().for_each(holds_of_answer);
        let lines = self.requests.iter().zip(&answers);
        let lines = lines.map(|(request, answer)| {
            let mut fields = in_fields(answer.as_ref().ok()?);
            fields["id"] = json!(request.eval_id);
            Some(format!("{fields}\n"))
        });
        // If all cases are answered, plain lines give the same answers.
        if let Some(lines) = lines.collect::<Option<String>>() {
            assert_eq!(of_batch(&lines, &self.requests), Ok(answers), "{lines}");
        }
    }

    /// Checks the bytes as a file of answers, or as the transcripts of a run.
    fn recording(&self, name: &str, bytes: &[u8]) {
        let path = self.root.path().join(format!("{name}.jsonl"));
        fs::write(path, bytes).expect("the recording");
        let target = match name {
            "answers" => "answers",
            _ => "run",
        };
        let resolved = match self.targets.resolve(target, &Environment::default()) {
            Ok(resolved) => resolved.target.provider,
            Err(error) => return is_a_sentence(&error.message),
        };
        for request in &self.requests {
            let ask = || {
                let cancel = CancellationToken::new();
                let answer = resolved.answer(request, &cancel);
                self.runtime.block_on(answer)
            };
            let answer = ask();
            assert_eq!(ask(), answer, "asked again");
            holds_of_answer(&answer);
            // Every id in the file is found.
            if let Err(error) = answer {
                assert_eq!(error.cause, Cause::Missing, "{error:?}");
            }
        }
    }
}

fn holds_of_answer(answer: &Result<Transcript, ProviderError>) {
    match answer {
        Ok(transcript) => comes_back(transcript),
        Err(error) => holds(error),
    }
}

fn holds(error: &ProviderError) {
    is_a_sentence(&error.message);
    let cause = &error.cause;
    assert!(matches!(cause, Cause::Answer | Cause::Missing), "{cause:?}");
}

/// Returns the transcript as the fields of an answer.
fn in_fields(transcript: &Transcript) -> Value {
    serde_json::to_value(transcript).expect("a transcript is JSON")
}
