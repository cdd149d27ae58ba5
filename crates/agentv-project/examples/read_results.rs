//! Reads the results of a run that `agentv run` or a program like `own_provider` has written: the trials that did not
//! pass, and the summary.
//!
//! ```sh
//! cargo run -p agentv-project --example read_results -- .agentv/results/2026-11-15T10-43-07Z-4f1a
//! ```

use std::error::Error;
use std::path::PathBuf;

use agentv_core::Status;
use agentv_journal::RunFolder;
use agentv_report::RunResults;

fn read(folder: PathBuf) -> Result<Vec<String>, Box<dyn Error>> {
    let results = RunResults::without_run(&RunFolder::open(&folder)?);
    let mut lines = Vec::new();
    results.each(&mut |record| {
        if record.status != Status::Pass {
            lines.push(format!("{} · {}", record.eval_id, record.target));
        }
    })?;
    let summary = results.summary()?;
    let rate = summary.pass_rate.unwrap_or_default() * 100.0;
    lines.push(format!("{rate:.0}% of {} passed", summary.graded));
    Ok(lines)
}

#[expect(clippy::print_stdout, reason = "the result of the program")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("name the folder of a run")?;
    for line in read(folder.into())? {
        println!("{line}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use agentv_journal::RecordFile;
    use serde_json::json;

    use super::*;

    #[test]
    fn trials_that_did_not_pass_are_listed() -> Result<(), Box<dyn Error>> {
        let results = tempfile::tempdir()?;
        let now = "2026-11-15T10:43:07Z".parse()?;
        let folder = RunFolder::create_at(results.path(), now)?;
        let mut writer = folder.write(now)?;
        let mut records = writer.append(RecordFile::Results)?;
        for (id, status, score) in [("a", "pass", 1), ("b", "fail", 0)] {
            let record = json!({
                "timestamp": "2026-11-15T10:43:07Z", "eval_file": "evals/a.yaml", "eval_id": id,
                "dataset": "a", "target": "default", "trial": 1, "status": status, "score": score,
                "attempts": 1, "answer_key": id, "grade_key": id,
            });
            records.append(&record, Instant::now())?;
        }
        records.finish()?;
        let lines = read(folder.path().to_owned())?;
        assert_eq!(lines, ["b · default", "50% of 2 passed"]);
        Ok(())
    }
}
