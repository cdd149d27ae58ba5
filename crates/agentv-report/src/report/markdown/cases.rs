//! The cases that need attention.

use agentv_core::{ResultRecord, Status, TrialName};
use agentv_journal::FileError;

use crate::figures::{count, counted};
use crate::markdown_text::code;
use crate::report::exchange::{Exchange, Exchanges};

/// The number of cases of each kind that are listed.
const MOST_CASES: usize = 20;
/// The number of bytes of a name and of a reason.
const LONGEST_NAME: usize = 120;
const LONGEST_REASON: usize = 300;
/// The number of bytes of a question or an answer.
const LONGEST_TEXT: usize = 300;
/// The size of the end of a list.
const END: usize = 120;

/// The trials of a run that did not pass: the first few, and their number.
#[derive(Debug, Default)]
pub(super) struct Cases {
    failed: Kept,
    borderline: Kept,
    errored: Kept,
    several_targets: bool,
    several_trials: bool,
    several_files: bool,
    first: Option<TrialName>,
}

/// The worst few, the lowest score first; equal ones in the order in which they ended.
#[derive(Debug, Default)]
struct Kept {
    cases: Vec<Case>,
    count: u64,
}

#[derive(Debug)]
struct Case {
    name: TrialName,
    score: Option<f64>,
    reason: String,
    record: ResultRecord,
    exchange: Exchange,
}

impl Kept {
    fn add(&mut self, record: &ResultRecord) {
        self.count += 1;
        let score = record.score.map(|score| score.value());
        let rank = |score: Option<f64>| score.unwrap_or(0.0);
        let place = self
            .cases
            .partition_point(|kept| rank(kept.score) <= rank(score));
        if place >= MOST_CASES {
            return;
        }
        let case = Case {
            name: TrialName::from(record),
            score,
            reason: code(record.reason().unwrap_or("no reason given"), LONGEST_REASON),
            record: record.clone(),
            exchange: Exchange::default(),
        };
        self.cases.insert(place, case);
        self.cases.truncate(MOST_CASES);
    }
}

impl Cases {
    pub(super) fn add(&mut self, record: &ResultRecord) {
        let first = self.first.get_or_insert_with(|| TrialName::from(record));
        self.several_targets |= first.target != record.target;
        self.several_files |= first.eval_file != record.eval_file;
        self.several_trials |= record.trial > 1;
        match record.status {
            Status::Fail => self.failed.add(record),
            Status::Error => self.errored.add(record),
            Status::Borderline => self.borderline.add(record),
            Status::Pass | Status::Ungraded => {}
        }
    }

    /// Looks up what the listed trials asked and expected.
    pub(super) fn look_up(&mut self, exchanges: &mut Exchanges) -> Result<(), FileError> {
        let listed = [&mut self.failed, &mut self.borderline, &mut self.errored];
        for case in listed.into_iter().flat_map(|kept| &mut kept.cases) {
            case.exchange = exchanges.get(&case.record)?;
        }
        Ok(())
    }

    /// Writes the lists that are not empty, as far as `text` stays within this many bytes.
    pub(super) fn write(&self, text: &mut String, longest: usize) {
        for (kept, word) in [
            (&self.failed, "failed"),
            (&self.borderline, "borderline"),
            (&self.errored, "errored"),
        ] {
            if kept.count > 0 {
                self.write_list(text, kept, word, longest);
            }
        }
    }

    fn write_list(&self, text: &mut String, kept: &Kept, word: &str, longest: usize) {
        let all = counted(kept.count, "trial", "trials");
        let start = format!("\n<details>\n<summary>{all} {word}</summary>\n\n");
        if text.len() + start.len() + END > longest {
            return;
        }
        text.push_str(&start);
        let mut shown = 0;
        for case in &kept.cases {
            let line = self.line(case);
            if text.len() + line.len() + END > longest {
                break;
            }
            text.push_str(&line);
            shown += 1;
        }
        let more = kept.count - shown;
        if more > 0 {
            text.push_str(&format!("\nand {} more\n", count(more)));
        }
        text.push_str("\n</details>\n");
    }

    fn line(&self, case: &Case) -> String {
        let mut line = format!("- {}", code(&case.name.eval_id, LONGEST_NAME));
        if self.several_targets {
            line.push_str(&format!(" on {}", code(&case.name.target, LONGEST_NAME)));
        }
        if self.several_trials {
            line.push_str(&format!(", trial {}", case.name.trial));
        }
        if self.several_files {
            line.push_str(&format!(" in {}", code(&case.name.eval_file, LONGEST_NAME)));
        }
        if let Some(score) = case.record.score {
            let threshold = case.record.pass_threshold.unwrap_or_default();
            line.push_str(&format!(", score {}", score.rounded(3, threshold)));
        }
        line.push_str(&format!(": {}\n", case.reason));
        for (name, text) in case.exchange.parts() {
            line.push_str(&format!("  - {name}: {}\n", code(text, LONGEST_TEXT)));
        }
        line
    }
}
