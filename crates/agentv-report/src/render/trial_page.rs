//! One trial as a text for people: the conversation, the tool calls, the changed files, the grades.

use agentv_core::{
    AgentTrace, FileChange, Message, ResultRecord, Role, ToolCall, Transcript, TranscriptRecord,
    visible,
};
use serde_json::Value;

use super::page::{Page, Piece};
use crate::style::{Paint, Style};
use crate::text::cut;

/// The most lines of a tool's input or output that are shown.
const SHOWN_LINES: usize = 12;

/// Renders a trial: its result, and its transcript if the run has it.
pub fn render_trial(
    result: &ResultRecord,
    transcript: Option<&TranscriptRecord>,
    style: Style,
) -> String {
    let mut page = Page::new(style);
    title(&mut page, result);
    if let Some(record) = transcript {
        agent(&mut page, &record.transcript);
        page.gap();
        conversation(&mut page, &record.case.input_messages);
    }
    let messages = match (transcript, &result.output_messages) {
        (Some(record), _) => &record.transcript.output_messages,
        (None, Some(messages)) => messages,
        (None, None) => &Vec::new(),
    };
    conversation(&mut page, messages);
    if let Some(record) = transcript {
        changes(&mut page, &record.transcript);
    }
    grades(&mut page, result);
    if let Some(folder) = &result.workspace {
        page.verbatim("workspace", &visible(folder));
    }
    let artifacts = transcript.map(|record| record.transcript.artifacts.iter());
    for artifact in artifacts.into_iter().flatten() {
        if let Some(path) = &artifact.path {
            page.verbatim("raw", &visible(path));
        }
    }
    page.finish()
}

fn title(page: &mut Page, result: &ResultRecord) {
    let paint = Paint::of(result.status);
    let name = match result.trial {
        1 => result.eval_id.clone(),
        number => format!("{} #{number}", result.eval_id),
    };
    let mut pieces = vec![
        Piece::new(Paint::Strong, visible(&name)),
        Piece::plain(visible(&result.target)),
        Piece::new(paint, result.status.as_str()),
    ];
    let threshold = result.pass_threshold.unwrap_or_default();
    let shown = result.score.map(|score| score.rounded(3, threshold));
    pieces.extend(shown.map(|shown| Piece::new(paint, shown)));
    let trace = result.trace_summary.as_ref();
    if let Some(ms) = result.timing.total_ms {
        pieces.push(Piece::plain(format!("{:.1} s", ms / 1e3)));
    }
    if let Some(usage) = trace.and_then(|trace| trace.token_usage) {
        pieces.push(Piece::plain(format!("{} tokens", usage.total())));
    }
    if let Some(cost) = trace.and_then(|trace| trace.cost_usd) {
        pieces.push(Piece::plain(format!("${cost:.4}")));
    }
    let notes = [
        (result.truncated, "truncated"),
        (result.out_of_steps, "out of steps"),
    ];
    let notes = notes.into_iter().filter(|(is_so, _)| *is_so);
    pieces.extend(notes.map(|(_, note)| Piece::new(Paint::Nearly, note)));
    page.flow(0, &pieces);
    if let Some(error) = &result.error {
        page.lines(0, Paint::Broken, &format!("error: {}", error.message));
    }
}

/// Writes the facts about an agent, if the target is one.
fn agent(page: &mut Page, transcript: &Transcript) {
    let Some(trace) = transcript.trace.as_ref().and_then(AgentTrace::of) else {
        return;
    };
    let mut pieces = Vec::new();
    if let (Some(agent), Some(version)) = (&trace.agent, &trace.version) {
        pieces.push(Piece::plain(visible(&format!("{agent} {version}"))));
    }
    pieces.push(Piece::plain(match transcript.turns() {
        1 => "1 turn".to_owned(),
        count => format!("{count} turns"),
    }));
    if transcript.finish_reason.as_deref() == Some("max_turns") {
        pieces.push(Piece::new(Paint::Nearly, "stopped by `max_turns`"));
    }
    if !trace.denials.is_empty() {
        let text = match trace.denials.len() {
            1 => "1 tool call refused".to_owned(),
            count => format!("{count} tool calls refused"),
        };
        pieces.push(Piece::new(Paint::Nearly, text));
    }
    if trace.retries > 0 {
        pieces.push(Piece::plain(format!("{} retries", trace.retries)));
    }
    page.flow(0, &pieces);
}

/// Writes messages, each under its role. Tool calls without a text belong to the turn before.
fn conversation(page: &mut Page, messages: &[Message]) {
    let mut before = None;
    for message in messages {
        turn(page, message, before);
        before = Some(message.role);
    }
}

fn turn(page: &mut Page, message: &Message, before: Option<Role>) {
    let text = message.text();
    let text = text.trim();
    let begins = !message.tool_calls.is_empty() && before != Some(message.role);
    if !text.is_empty() || begins {
        let label = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        };
        page.lines(0, Paint::Strong, label);
        let paint = match message.role {
            Role::Assistant | Role::User => Paint::Plain,
            Role::System | Role::Tool => Paint::Faint,
        };
        page.lines(2, paint, text);
    }
    for call in &message.tool_calls {
        tool_call(page, call);
    }
}

/// Writes a tool call with its outcome: one line, then the first lines of its output.
fn tool_call(page: &mut Page, call: &ToolCall) {
    let (mark, paint) = if call.is_error() {
        ("failed", Paint::Bad)
    } else {
        ("ok", Paint::Good)
    };
    let is_refused = call.extra.get("denied") == Some(&Value::Bool(true));
    let outcome = match (call.exit_code(), call.output.is_some() || call.is_error()) {
        _ if is_refused => "refused".to_owned(),
        (Some(code), _) => format!("exit {code}"),
        (None, true) => mark.to_owned(),
        (None, false) => "no result".to_owned(),
    };
    let mut pieces = vec![Piece::new(Paint::Strong, visible(&call.tool))];
    let input = call.input.as_ref().map(essence).unwrap_or_default();
    if !input.is_empty() {
        pieces.push(Piece::plain(visible(&input)));
    }
    pieces.push(Piece::new(paint, outcome));
    if let Some(ms) = call.duration_ms {
        pieces.push(Piece::new(Paint::Faint, format!("{ms:.0} ms")));
    }
    page.indented(&pieces);
    let Some(output) = &call.output else { return };
    let text = match output {
        Value::String(text) => text.clone(),
        Value::Null => return,
        other => other.to_string(),
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = &lines[..lines.len().min(SHOWN_LINES)];
    page.lines(4, Paint::Faint, &shown.join("\n"));
    if lines.len() > SHOWN_LINES {
        let more = format!("({} more lines)", lines.len() - SHOWN_LINES);
        page.lines(4, Paint::Faint, &more);
    }
}

/// Returns the most telling argument of a tool call on one line.
pub(crate) fn essence(input: &Value) -> String {
    let telling = ToolCall::telling_argument(input);
    let text = match telling.unwrap_or(input) {
        Value::String(text) => text.clone(),
        Value::Array(words) if words.iter().all(Value::is_string) => {
            let words = words.iter().filter_map(Value::as_str);
            words.collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn changes(page: &mut Page, transcript: &Transcript) {
    let Some(changes) = &transcript.file_changes else {
        return;
    };
    page.gap();
    let omitted = transcript.file_changes_omitted;
    let count = changes.len() as u64 + omitted;
    let title = match count {
        0 => "no file was changed".to_owned(),
        1 => "1 changed file".to_owned(),
        count => format!("{count} changed files"),
    };
    page.lines(0, Paint::Strong, &title);
    for change in changes {
        file_change(page, change);
    }
    if omitted > 0 {
        page.lines(
            2,
            Paint::Faint,
            &format!("({omitted} more files are not recorded)"),
        );
    }
}

fn file_change(page: &mut Page, change: &FileChange) {
    let path = match &change.from {
        Some(from) => format!("{from} -> {}", change.path),
        None => change.path.clone(),
    };
    let mut pieces = vec![
        Piece::plain(change.kind.as_str()),
        Piece::new(Paint::Strong, visible(&path)),
    ];
    if let Some(lines) = change.lines {
        let text = format!("+{} -{}", lines.added, lines.removed);
        pieces.push(Piece::plain(text));
    } else if change.digest.is_some() {
        pieces.push(Piece::new(Paint::Faint, "not a text"));
    }
    page.indented(&pieces);
    // The two lines with names repeat what was just written.
    let diff = change.diff.as_deref().unwrap_or_default();
    let (head, body) = diff.split_at(diff.find("@@ ").unwrap_or(diff.len()));
    let is_name = |line: &&str| line.starts_with("--- ") || line.starts_with("+++ ");
    for line in head
        .lines()
        .filter(|line| !is_name(line))
        .chain(body.lines())
    {
        let paint = match line.as_bytes().first() {
            Some(b'+') => Paint::Good,
            Some(b'-') => Paint::Bad,
            Some(b'@') => Paint::Faint,
            _ => Paint::Plain,
        };
        page.lines(4, paint, line);
    }
    if change.diff_truncated {
        page.lines(
            4,
            Paint::Faint,
            "(the rest of the difference is not recorded)",
        );
    }
}

fn grades(page: &mut Page, result: &ResultRecord) {
    if result.evaluator_results.is_empty() {
        return;
    }
    page.gap();
    for decision in result.own_misses() {
        page.lines(0, Paint::Bad, decision);
    }
    for grade in &result.evaluator_results {
        let mut pieces = vec![Piece::new(Paint::Strong, visible(&grade.name))];
        if let Some(given) = grade.score {
            let paint = match grade.verdict {
                Some(verdict) => Paint::of(verdict.into()),
                None => Paint::Plain,
            };
            let threshold = result.pass_threshold.unwrap_or_default();
            pieces.push(Piece::new(paint, given.rounded(3, threshold)));
        }
        if let Some(reason) = &grade.skipped {
            pieces.push(Piece::new(Paint::Faint, visible(reason)));
        }
        page.flow(0, &pieces);
        for (mark, paint, findings) in [
            ("+", Paint::Good, &grade.hits),
            ("-", Paint::Bad, &grade.misses),
        ] {
            for finding in findings {
                page.lines(2, paint, &format!("{mark} {finding}"));
            }
        }
        if let Some(error) = &grade.error {
            page.lines(2, Paint::Broken, error);
        }
        if let Some(reasoning) = &grade.reasoning {
            page.lines(2, Paint::Plain, reasoning);
        }
    }
}

impl Page {
    /// Writes the lines of a text of others, indented and cut to the width.
    fn lines(&mut self, indent: usize, paint: Paint, text: &str) {
        let style = self.style();
        for line in text.lines() {
            let line = visible(&line.replace('\t', "    ")).into_owned();
            let room = style.width.saturating_sub(indent).max(1);
            let line = cut(&line, room, style);
            self.line(indent, paint, &line);
        }
    }
}
