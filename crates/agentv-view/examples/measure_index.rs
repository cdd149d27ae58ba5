//! Measures the index of a large run: `measure_index FOLDER [TRIALS]`.
//!
//! Writes a run of that many trials to the folder, unless there is one, and prints the times of building and
//! loading its index, of filters and of rows, and the peak of memory.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use agentv_core::Status;
use agentv_journal::RunFolder;
use agentv_view::index::{Filter, Query, RunIndex, Sort};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "view-bench".to_owned());
    let trials = arguments
        .next()
        .map_or(1_000_000, |text| text.parse().unwrap());
    let results = Path::new(&folder).join(".agentv/results");
    let path = results.join(format!("bench-{trials}"));
    if !path.is_dir() {
        write_run(&path, trials);
    }
    let run = RunFolder::open(&path).unwrap();
    let kept = Path::new(&folder).join(".agentv/view");
    drop(fs::remove_dir_all(&kept));
    let index = timed("build", || RunIndex::open(&run, Some(&kept)).unwrap());
    drop(index);
    println!("peak after building: {} MiB", memory("VmHWM"));
    let index = timed("load", || RunIndex::open(&run, Some(&kept)).unwrap());
    println!("memory after loading: {} MiB", memory("VmRSS"));
    let order = timed("order", || index.in_file_order(None));
    let find = |name: &str, query: Query| {
        let found = timed(name, || index.find(&query, &order).unwrap());
        println!("  {} trials", found.len());
        timed("  100 rows", || {
            found
                .iter()
                .take(100)
                .for_each(|item| drop(index.shown(*item).unwrap()))
        });
    };
    let filter = |filter: Filter| Query {
        filter,
        ..Query::default()
    };
    find(
        "status",
        filter(Filter {
            statuses: vec![Status::Fail],
            ..Filter::default()
        }),
    );
    find(
        "evaluator",
        filter(Filter {
            evaluator: Some("tone".to_owned()),
            said: Some(2),
            ..Filter::default()
        }),
    );
    find(
        "score",
        filter(Filter {
            least: Some(0.3),
            most: Some(0.5),
            ..Filter::default()
        }),
    );
    find(
        "target",
        filter(Filter {
            target: Some("large".to_owned()),
            ..Filter::default()
        }),
    );
    find(
        "tool",
        filter(Filter {
            tool: Some("search".to_owned()),
            ..Filter::default()
        }),
    );
    for text in ["question 123456", "nothing at all", "arrives"] {
        find(
            text,
            filter(Filter {
                text: text.to_owned(),
                ..Filter::default()
            }),
        );
    }
    for (name, sort) in [("by score", Sort::Score), ("by id", Sort::Id)] {
        find(
            name,
            Query {
                sort,
                ..Query::default()
            },
        );
    }
    println!("peak: {} MiB", memory("VmHWM"));
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = work();
    println!("{name}: {:.0} ms", start.elapsed().as_secs_f64() * 1000.0);
    value
}

/// Returns a figure of this process in MiB.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let figure = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    figure.unwrap_or_default() / 1024
}

fn write_run(path: &Path, trials: u64) {
    fs::create_dir_all(path).unwrap();
    let create = |name: &str| BufWriter::new(File::create(path.join(name)).unwrap());
    writeln!(create("run.json"), "{{\"schema_version\":1,\"version\":\"0.1.0\",\"started_at\":\"2026-11-15T10:43:07Z\",\"files\":[{{\"path\":\"evals/support.jsonl\",\"digest\":\"d\",\"cases\":{trials}}}],\"trials\":1,\"planned\":{trials}}}").unwrap();
    let (mut results, mut transcripts) = (create("results.jsonl"), create("transcripts.jsonl"));
    for at in 0..trials {
        let score = (at * 7 % 11) as f64 / 10.0;
        let status = if score >= 0.8 {
            "pass"
        } else if score >= 0.6 {
            "borderline"
        } else {
            "fail"
        };
        let target = if at % 2 == 0 { "small" } else { "large" };
        let tools = if at % 3 == 0 { "{\"search\":2}" } else { "{}" };
        let position = at / 2 + 1;
        writeln!(results, "{{\"timestamp\":\"2026-11-15T10:44:00.123Z\",\"eval_file\":\"evals/support.jsonl\",\"position\":{position},\"eval_id\":\"case-{position}\",\"dataset\":\"support\",\"target\":\"{target}\",\"trial\":1,\"status\":\"{status}\",\"score\":{score},\"misses\":[\"The answer does not say when it arrives\"],\"candidate_answer\":\"Your order {at} arrives on Tuesday.\",\"evaluator_results\":[{{\"name\":\"tone\",\"type\":\"llm_judge\",\"score\":{score},\"weight\":1.0,\"verdict\":\"{status}\",\"reasoning\":\"Friendly enough.\"}}],\"trace_summary\":{{\"event_count\":1,\"tool_names\":[],\"tool_calls_by_name\":{tools},\"error_count\":0,\"cost_usd\":0.0012}},\"timing\":{{\"queue_ms\":0.1,\"total_ms\":{}}},\"attempts\":1,\"answer_key\":\"{at:064x}\",\"grade_key\":\"{at:064x}\"}}", 100 + at % 900).unwrap();
        writeln!(transcripts, "{{\"timestamp\":\"2026-11-15T10:44:00.100Z\",\"eval_file\":\"evals/support.jsonl\",\"position\":{position},\"eval_id\":\"case-{position}\",\"target\":\"{target}\",\"trial\":1,\"answer_key\":\"{at:064x}\",\"case\":{{\"id\":\"case-{position}\",\"dataset\":\"support\",\"input_messages\":[{{\"role\":\"system\",\"content\":\"You are a support agent.\"}},{{\"role\":\"user\",\"content\":\"Question {position}: where is my order?\"}}],\"expected_outcome\":\"Says when it arrives\"}},\"transcript\":{{\"output_messages\":[{{\"role\":\"assistant\",\"content\":\"Your order {at} arrives on Tuesday.\"}}]}},\"attempts\":1}}").unwrap();
    }
}
