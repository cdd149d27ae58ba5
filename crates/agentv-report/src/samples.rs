//! Records for tests.

use std::path::Path;

use agentv_core::{
    PassThreshold, ResultRecord, Score, Stage, Status, Timing, TokenUsage, TraceSummary, TrialError,
};

use crate::{ReportFormat, RunResults};

/// A trial that was not graded and is otherwise empty.
pub(crate) fn record(eval_id: &str) -> ResultRecord {
    ResultRecord {
        timestamp: "2026-11-15T10:43:07.309Z".to_owned(),
        eval_file: "evals/geography.yaml".into(),
        position: None,
        eval_id: eval_id.to_owned(),
        dataset: "geography".to_owned(),
        conversation_id: None,
        target: "default".into(),
        trial: 1,
        status: Status::Ungraded,
        score: None,
        pass_threshold: None,
        hits: Vec::new(),
        misses: Vec::new(),
        candidate_answer: Some("Paris".to_owned()),
        reasoning: None,
        evaluator_results: Vec::new(),
        trace_summary: None,
        output_messages: None,
        timing: Timing::default(),
        attempts: 1,
        cached: false,
        redacted: false,
        dry_run: false,
        truncated: false,
        out_of_steps: false,
        outdated: None,
        error: None,
        line: None,
        workspace: None,
        of_other_run: false,
        replaced_cost_usd: None,
        answer_key: "a".repeat(8),
        grade_key: "b".repeat(8),
    }
}

/// A trial with this score and its status.
pub(crate) fn graded(eval_id: &str, score: f64) -> ResultRecord {
    let score = Score::new(score).unwrap();
    ResultRecord {
        status: Status::from(score.verdict(PassThreshold::default())),
        score: Some(score),
        ..record(eval_id)
    }
}

/// A failed trial with its reason.
pub(crate) fn failed(eval_id: &str, score: f64, miss: &str) -> ResultRecord {
    ResultRecord {
        misses: vec![miss.to_owned()],
        ..graded(eval_id, score)
    }
}

/// A trial whose target did not answer.
pub(crate) fn errored(eval_id: &str, message: &str) -> ResultRecord {
    ResultRecord {
        status: Status::Error,
        candidate_answer: None,
        error: Some(TrialError {
            stage: Stage::Target,
            message: message.to_owned(),
        }),
        ..record(eval_id)
    }
}

/// The same trial with its latency and cost.
pub(crate) fn measured(record: ResultRecord, total_ms: f64, cost_usd: f64) -> ResultRecord {
    ResultRecord {
        timing: Timing {
            queue_ms: Some(0.5),
            total_ms: Some(total_ms),
            first_token_ms: None,
        },
        trace_summary: Some(TraceSummary {
            token_usage: Some(TokenUsage {
                input: 1_200,
                output: 80,
                cached: Some(200),
                reasoning: None,
            }),
            cost_usd: Some(cost_usd),
            ..TraceSummary::default()
        }),
        ..record
    }
}

/// A file with one record per line, and the results in it.
pub(crate) fn results_in(path: &Path, records: &[ResultRecord]) -> RunResults {
    let lines = records
        .iter()
        .map(|record| serde_json::to_string(record).unwrap() + "\n");
    std::fs::write(path, lines.collect::<String>()).unwrap();
    RunResults::of_file(path)
}

/// The report of a file with these records.
pub(crate) fn report_of(format: &ReportFormat, records: &[ResultRecord]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let results = results_in(&folder.path().join("results.jsonl"), records);
    let mut out = Vec::new();
    format.write(&[results], &mut out).unwrap();
    String::from_utf8(out).unwrap()
}
