//! A notice that is shown during a run.

use std::time::Duration;

use agentv_core::{ResultRecord, Status, Stop};

use crate::figures::{count, milliseconds};
use crate::render::stop_reason;
use crate::style::{Paint, Style};
use crate::text::{clip, cut, one_line, width};

/// The number of bytes that are kept of a foreign text.
const LONGEST: usize = 600;

/// A notice that is shown during a run.
#[derive(Debug, Clone)]
pub(super) enum Notice {
    /// A trial failed or errored.
    Ended {
        status: Status,
        /// The score, as it is shown.
        score: Option<String>,
        name: String,
        reason: String,
    },
    /// An attempt failed and will be retried.
    Retrying {
        name: String,
        attempt: u32,
        wait: Duration,
        reason: String,
    },
    /// The number of notices of a kind that were omitted.
    More { number: u64, what: &'static str },
    /// A remark for the user.
    Remark { text: String },
    /// No further trial is started.
    Stopping { stop: Stop },
}

/// Returns the name of a trial, with its target if there are several.
pub(super) fn trial_name(eval_id: &str, target: Option<&str>, trial: u32) -> String {
    let mut name = one_line(clip(eval_id, LONGEST));
    if let Some(target) = target {
        name.push_str(" @ ");
        name.push_str(&one_line(clip(target, LONGEST)));
    }
    if trial > 1 {
        name.push_str(&format!(" #{trial}"));
    }
    name
}

impl Notice {
    pub(super) fn ended(record: &ResultRecord, target: Option<&str>) -> Notice {
        Notice::Ended {
            status: record.status,
            score: record.score.map(|score| {
                let threshold = record.pass_threshold.unwrap_or_default();
                score.rounded(2, threshold)
            }),
            name: trial_name(&record.eval_id, target, record.trial),
            reason: one_line(clip(record.reason().unwrap_or_default(), LONGEST)),
        }
    }

    pub(super) fn remark(text: &str) -> Notice {
        Notice::Remark {
            text: one_line(clip(text, LONGEST)),
        }
    }

    pub(super) fn retrying(name: String, attempt: u32, wait: Duration, reason: &str) -> Notice {
        Notice::Retrying {
            name,
            attempt,
            wait,
            reason: one_line(clip(reason, LONGEST)),
        }
    }

    /// Renders the notice on one line, or on two if the reason does not fit.
    pub(super) fn lines(&self, style: Style) -> Vec<String> {
        match self {
            Notice::Ended {
                status,
                score,
                name,
                reason,
            } => {
                let score = score.iter().map(|score| format!("{score}  "));
                let score: String = score.collect();
                let said = format!("{score}{name}");
                line_of(style, Paint::of(*status), status.as_str(), &said, reason)
            }
            Notice::Retrying {
                name,
                attempt,
                wait,
                reason,
            } => {
                let wait = milliseconds(wait.as_secs_f64() * 1e3);
                let said = format!("{name}  attempt {attempt} failed, next in {wait}");
                line_of(style, Paint::Nearly, "retry", &said, reason)
            }
            Notice::More { number, what } => {
                let text = format!("{} and {} more {what}", style.ellipsis(), count(*number));
                vec![style.paint(Paint::Faint, &cut(&text, style.width, style))]
            }
            Notice::Remark { text } => line_of(style, Paint::Nearly, "note", text, ""),
            Notice::Stopping { stop } => {
                let text = format!("stopping: {}", stop_reason(*stop));
                vec![style.paint(Paint::Strong, &cut(&text, style.width, style))]
            }
        }
    }
}

/// Renders a coloured word, its subject and the reason.
fn line_of(style: Style, paint: Paint, word: &str, said: &str, why: &str) -> Vec<String> {
    let word = format!("{word:<5}");
    let before = width(&word) + 2;
    let said = cut(said, style.width.saturating_sub(before), style);
    let line = format!("{}  {said}", style.paint(paint, &word));
    if why.is_empty() {
        return vec![line];
    }
    let used = before + width(&said) + 2;
    // A reason of a few letters beside a long name says less than one below it.
    if used + width(why) <= style.width || used * 2 <= style.width {
        let why = cut(why, style.width.saturating_sub(used), style);
        return vec![format!("{line}  {}", style.paint(Paint::Faint, &why))];
    }
    let why = cut(why, style.width.saturating_sub(before), style);
    let below = format!("{}{}", " ".repeat(before), style.paint(Paint::Faint, &why));
    vec![line, below]
}
