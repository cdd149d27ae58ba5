//! A run that is not one, to look at: `cargo run -p agentv-report --example display -- live 80`.
//!
//! The first argument is `live`, `plain`, `quiet` or `speed`, the second the width. `speed` measures
//! what an event costs.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use agentv_core::{Planned, Reporter, ResultRecord, RunEvent};
use agentv_report::{
    Clock, Closing, DisplayOptions, LiveDisplay, PlainProgress, Quiet, Several, Style, SummaryFold,
    render_summary,
};
use serde_json::{Value, json};

const TRIALS: u64 = 500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_default();
    let width = arguments.next().map_or(Ok(80), |width| width.parse())?;
    let style = Style {
        colour: kind == "live",
        width,
        unicode: true,
    };
    let options = DisplayOptions {
        style,
        verbose: false,
        several_targets: false,
        clock: Clock::real(),
    };
    let mut fold = SummaryFold::new();
    let started = Instant::now();
    match kind.as_str() {
        "speed" => return measure(width, options),
        "plain" => {
            let every = Duration::from_secs(1);
            let mut display = PlainProgress::to(io::stderr(), every, options);
            simulate(&mut Several::new().and(&mut fold).and(&mut display))?;
        }
        "quiet" => {
            let mut display = Quiet::to(io::stderr(), options);
            simulate(&mut Several::new().and(&mut fold).and(&mut display))?;
        }
        _ => {
            let mut display = LiveDisplay::on_stderr(move || width, options);
            simulate(&mut Several::new().and(&mut fold).and(&mut display))?;
        }
    }
    let closing = Closing {
        planned: TRIALS,
        elapsed: Some(started.elapsed()),
        next_command: Some("agentv report 2026-11-15T10-43-07Z-4f1a"),
        ..Closing::default()
    };
    let text = render_summary(&fold.finish(0), &closing, style);
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn simulate(reporter: &mut dyn Reporter) -> Result<(), Box<dyn std::error::Error>> {
    let planned = Planned {
        trials: TRIALS,
        skipped: 0,
    };
    reporter.on_event(&RunEvent::Planned(planned))?;
    let records: Vec<ResultRecord> = (0..TRIALS).map(record).collect();
    let at_once = 20;
    for (index, record) in records.iter().enumerate() {
        if index == 0 {
            records[..at_once]
                .iter()
                .try_for_each(|record| start(reporter, record))?;
        }
        if let Some(next) = records.get(index + at_once) {
            start(reporter, next)?;
        }
        let reused = false;
        reporter.on_event(&RunEvent::Finished { record, reused })?;
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn start(
    reporter: &mut dyn Reporter,
    record: &ResultRecord,
) -> Result<(), agentv_core::ReportError> {
    reporter.on_event(&RunEvent::Started {
        eval_id: &record.eval_id,
        target: &record.target,
        trial: record.trial,
    })
}

fn record(index: u64) -> ResultRecord {
    let score = match index % 23 {
        5 => 0.0,
        7 => 0.7,
        11 => 0.35,
        _ => 0.8 + (index % 5) as f64 / 20.0,
    };
    let status = match score {
        0.8.. => "pass",
        0.6.. => "borderline",
        _ => "fail",
    };
    let mut record = json!({
        "timestamp": "2026-11-15T10:43:07Z", "eval_file": "evals/a.yaml",
        "eval_id": format!("question-about-something-{index}"), "dataset": "a",
        "target": "default", "trial": 1, "status": status, "score": score, "attempts": 1,
        "misses": ["The answer names Sydney, and the capital of Australia is Canberra."],
        "timing": {"total_ms": 100.0 + (index * 7919 % 1000) as f64},
        "trace_summary": {"event_count": 0, "tool_names": [], "tool_calls_by_name": {},
            "error_count": 0, "cost_usd": 0.0021, "token_usage": {"input": 1200, "output": 80}},
        "answer_key": "a", "grade_key": "b"
    });
    if index % 97 == 13 {
        record["status"] = "error".into();
        record["score"] = Value::Null;
        record["error"] = json!({"stage": "target", "message": "HTTP 429 Too Many Requests"});
    }
    serde_json::from_value(record).expect("a record")
}

fn measure(width: usize, options: DisplayOptions) -> Result<(), Box<dyn std::error::Error>> {
    let records: Vec<ResultRecord> = (0..1_000).map(record).collect();
    let mut display = LiveDisplay::on_stderr(move || width, options);
    let mut fold = SummaryFold::new();
    let mut costs = Vec::new();
    let reporters: [(&str, &mut dyn Reporter); 2] = [("fold", &mut fold), ("live", &mut display)];
    for (name, reporter) in reporters {
        let started = Instant::now();
        for _ in 0..1_000 {
            for record in &records {
                start(reporter, record)?;
                let reused = false;
                reporter.on_event(&RunEvent::Finished { record, reused })?;
            }
        }
        let nanoseconds = started.elapsed().as_nanos() / 1_000_000;
        costs.push(format!("{name}: {nanoseconds} ns a trial\n"));
    }
    display.finish();
    io::stdout().write_all(costs.concat().as_bytes())?;
    Ok(())
}
