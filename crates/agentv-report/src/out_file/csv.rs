//! One row per record, for spreadsheets.

use std::borrow::Cow;
use std::io;

use agentv_core::{Outdated, PassThreshold, ResultRecord, Score};

use super::format::{Format, Layout};

pub(crate) const FORMAT: Format = Format {
    extensions: &["csv"],
    start: || Box::new(Table { is_empty: true }),
};

/// A cell of a record, which is empty if the record has no value.
type Cell = fn(&ResultRecord) -> Cow<'_, str>;

/// The columns, in order.
pub(super) const COLUMNS: &[(&str, Cell)] = &[
    ("timestamp", |record| text(&record.timestamp)),
    ("eval_file", |record| text(&record.eval_file)),
    ("eval_id", |record| text(&record.eval_id)),
    ("dataset", |record| text(&record.dataset)),
    ("conversation_id", |record| {
        optional(record.conversation_id.as_deref())
    }),
    ("target", |record| text(&record.target)),
    ("trial", |record| whole(Some(u64::from(record.trial)))),
    ("status", |record| Cow::Borrowed(record.status.as_str())),
    ("score", |record| number(record.score.map(Score::value))),
    ("candidate_answer", |record| {
        optional(record.candidate_answer.as_deref())
    }),
    ("hits", |record| list(&record.hits)),
    ("misses", |record| list(&record.misses)),
    ("reasoning", |record| optional(record.reasoning.as_deref())),
    ("error_stage", |record| Cow::Borrowed(stage(record))),
    ("error_message", |record| {
        optional(record.error.as_ref().map(|error| error.message.as_str()))
    }),
    ("queue_ms", |record| number(record.timing.queue_ms)),
    ("total_ms", |record| number(record.timing.total_ms)),
    ("first_token_ms", |record| {
        number(record.timing.first_token_ms)
    }),
    ("attempts", |record| whole(Some(u64::from(record.attempts)))),
    ("cached", |record| {
        Cow::Borrowed(if record.cached { "true" } else { "false" })
    }),
    ("redacted", |record| {
        Cow::Borrowed(if record.redacted { "true" } else { "false" })
    }),
    ("dry_run", |record| {
        Cow::Borrowed(if record.dry_run { "true" } else { "false" })
    }),
    ("input_tokens", |record| {
        whole(tokens(record).map(|usage| usage.input))
    }),
    ("output_tokens", |record| {
        whole(tokens(record).map(|usage| usage.output))
    }),
    ("cached_tokens", |record| {
        whole(tokens(record).and_then(|usage| usage.cached))
    }),
    ("cost_usd", |record| number(record.answer_cost_usd())),
    ("judge_cost_usd", |record| number(record.judge_cost_usd())),
    ("unpriced", |record| list(&record.unpriced())),
    ("answer_key", |record| text(&record.answer_key)),
    ("grade_key", |record| text(&record.grade_key)),
    ("truncated", |record| {
        Cow::Borrowed(if record.truncated { "true" } else { "false" })
    }),
    ("outdated", |record| match record.outdated {
        Some(Outdated::Answer) => Cow::Borrowed("answer"),
        Some(Outdated::Grade) => Cow::Borrowed("grade"),
        None => Cow::default(),
    }),
    ("pass_threshold", |record| {
        number(record.pass_threshold.map(PassThreshold::value))
    }),
    ("replaced_cost_usd", |record| {
        number(record.replaced_cost_usd)
    }),
];

/// Returns a text as a cell. Spreadsheets run a cell that begins with one of these characters as a
/// formula, and a model or a foreign dataset could have written it, so an apostrophe in front makes
/// it a text. The other formats have the exact text.
fn text(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn optional(cell: Option<&str>) -> Cow<'_, str> {
    text(cell.unwrap_or_default())
}

fn list(items: &[String]) -> Cow<'static, str> {
    Cow::Owned(text(&items.join("\n")).into_owned())
}

/// Returns a number with the digits that JSON has.
fn number(number: Option<f64>) -> Cow<'static, str> {
    let finite = number.filter(|number| number.is_finite());
    finite.map_or_else(Cow::default, |number| {
        Cow::Owned(serde_json::Value::from(number).to_string())
    })
}

fn whole(number: Option<u64>) -> Cow<'static, str> {
    number.map_or_else(Cow::default, |number| Cow::Owned(number.to_string()))
}

fn tokens(record: &ResultRecord) -> Option<agentv_core::TokenUsage> {
    record.trace_summary.as_ref()?.token_usage
}

fn stage(record: &ResultRecord) -> &'static str {
    let error = record.error.as_ref();
    error.map_or("", |error| error.stage.as_str())
}

struct Table {
    is_empty: bool,
}

impl Table {
    /// Writes the names of the columns before the first row.
    fn header(&mut self, out: &mut csv::Writer<&mut Vec<u8>>) -> io::Result<()> {
        if std::mem::take(&mut self.is_empty) {
            out.write_record(COLUMNS.iter().map(|(name, _)| name))?;
        }
        Ok(())
    }
}

impl Layout for Table {
    fn record(&mut self, record: &ResultRecord, out: &mut Vec<u8>) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        self.header(&mut out)?;
        for (_, cell) in COLUMNS {
            out.write_field(cell(record).as_bytes())?;
        }
        out.write_record(None::<&[u8]>)?;
        out.flush()
    }

    fn end(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        self.header(&mut out)?;
        out.flush()
    }
}
