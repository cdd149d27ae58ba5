//! One trial as a test case.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use agentv_core::{ResultRecord, Stage, Status};
use quick_xml::Writer;

use super::suite::{milliseconds, seconds};
use super::xml::{self, Attribute};
use crate::report::exchange::Exchange;
use crate::text::{clip, one_line};

/// The length of a reason in a message, which lists show on one line.
const LONGEST_MESSAGE: usize = 400;

/// The parts of a name that are needed to identify a trial.
#[derive(Debug, Default)]
pub(super) struct Naming {
    target: Option<Arc<str>>,
    several_targets: bool,
    several_trials: bool,
}

impl Naming {
    pub(super) fn add(&mut self, record: &ResultRecord) {
        let first = self
            .target
            .get_or_insert_with(|| Arc::clone(&record.target));
        self.several_targets |= *first != record.target;
        self.several_trials |= record.trial > 1;
    }

    fn name<'r>(&self, record: &'r ResultRecord) -> Cow<'r, str> {
        let mut name = Cow::Borrowed(record.eval_id.as_str());
        if self.several_targets {
            name = Cow::Owned(format!("{name} @ {}", record.target));
        }
        if self.several_trials {
            name = Cow::Owned(format!("{name} #{}", record.trial));
        }
        name
    }
}

/// Writes a trial. A borderline one is a failure: it has not passed.
pub(super) fn write(
    xml: &mut Writer<&mut dyn Write>,
    record: &ResultRecord,
    exchange: &Exchange,
    naming: &Naming,
) -> io::Result<()> {
    let attributes = [
        ("name", naming.name(record)),
        ("classname", Cow::Borrowed(&*record.eval_file)),
        ("time", Cow::Owned(seconds(milliseconds(record)))),
    ];
    xml::start(xml, "testcase", &attributes)?;
    match record.status {
        Status::Pass => {}
        Status::Fail | Status::Borderline => {
            let message = record.reason().unwrap_or("the score is too low");
            let why = kind(record.status.as_str(), message);
            let text = with_exchange(reasons(record), exchange);
            xml::text(xml, "failure", &why, &text)?;
        }
        Status::Error => {
            let error = record.error.as_ref();
            let message = error.map_or("", |error| &error.message);
            let stage = error.map_or(Stage::Target, |error| error.stage).as_str();
            let text = with_exchange(message.to_owned(), exchange);
            xml::text(xml, "error", &kind(stage, message), &text)?;
        }
        Status::Ungraded => {
            let why = ("message", Cow::Borrowed("there is nothing to grade"));
            xml::empty(xml, "skipped", &[why])?;
        }
    }
    xml::text(xml, "system-out", &[], &figures(record))?;
    xml::end(xml, "testcase")
}

fn kind(kind: &'static str, message: &str) -> [Attribute<'static>; 2] {
    let message = one_line(clip(message, LONGEST_MESSAGE));
    [
        ("message", Cow::Owned(message)),
        ("type", Cow::Borrowed(kind)),
    ]
}

/// Adds the question, the expected and the actual answer to the text of a failure.
fn with_exchange(mut text: String, exchange: &Exchange) -> String {
    for (name, part) in exchange.parts() {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let _ = write!(text, "{name}:\n{part}");
    }
    text
}

/// Returns the misses, one per line, and the reason.
fn reasons(record: &ResultRecord) -> String {
    let mut text = String::new();
    for miss in &record.misses {
        let _ = writeln!(text, "- {miss}");
    }
    if let Some(reasoning) = &record.reasoning {
        text.push_str(reasoning);
    }
    text
}

/// Returns the details of a trial, one per line, whatever its status.
fn figures(record: &ResultRecord) -> String {
    let mut text = format!("status: {}\n", record.status);
    if let Some(score) = record.score {
        let _ = writeln!(text, "score: {}", score.value());
    }
    if let Some(threshold) = record.pass_threshold {
        let _ = writeln!(text, "pass_threshold: {threshold}");
    }
    let _ = writeln!(text, "target: {}", one_line(&record.target));
    let _ = writeln!(text, "trial: {}", record.trial);
    if let Some(first) = record.timing.first_token_ms {
        let _ = writeln!(text, "first_token_ms: {first}");
    }
    if let Some(cost) = record.answer_cost_usd() {
        let _ = writeln!(text, "cost_usd: {cost}");
    }
    if let Some(cost) = record.judge_cost_usd() {
        let _ = writeln!(text, "judge_cost_usd: {cost}");
    }
    let unpriced = record.unpriced();
    if !unpriced.is_empty() {
        let _ = writeln!(text, "unpriced: {}", one_line(&unpriced.join(", ")));
    }
    if record.is_self_judged() {
        text.push_str("graded_own_answer: true\n");
    }
    if record.cached {
        text.push_str("cached: true\n");
    }
    if record.redacted {
        text.push_str("redacted: true\n");
    }
    if record.dry_run {
        text.push_str("dry_run: true\n");
    }
    text
}
