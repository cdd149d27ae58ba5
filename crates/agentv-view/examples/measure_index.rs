//! Measures the index of a large run: `measure_index FOLDER [TRIALS]`.
//!
//! Writes a run of that many trials to the folder, unless there is one, and prints the times of building and
//! loading its index, of filters and of rows, and the peak of memory.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement")]

#[path = "shared/large_run.rs"]
mod large_run;

use std::fs;
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
        large_run::write(&path, trials);
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
