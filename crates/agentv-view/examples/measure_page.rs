//! Measures the page of a large run in a real Chromium: `measure_page FOLDER [TRIALS]`.
//!
//! Uses the run that `measure_index` wrote, or writes it. Prints the time from the start of the navigation to
//! the first rows (without an index, with a stored index, and with a loaded one), the time from a click or a
//! key to the new list, the time of jumps in the list, and the memory of the server.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement")]

#[path = "shared/large_run.rs"]
mod large_run;

use std::fs;
use std::path::Path;

use agentv_testkit::browser::{Browser, Page};
use agentv_view::{Binding, Runs, Server};
use serde_json::json;
use tokio::runtime::Runtime;

/// Notes the time of the first rows, and of each later change of the list.
const OBSERVE: &str = "new MutationObserver(() => {
  const rows = document.querySelectorAll('.row:not(.waiting)').length;
  if (rows > 0) window.firstRows ??= performance.now();
  if (rows > 0 && document.querySelectorAll('.row.waiting').length === 0) window.lastRows = performance.now();
}).observe(document, { childList: true, subtree: true });";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "view-bench".to_owned());
    let trials = arguments
        .next()
        .map_or(1_000_000, |text| text.parse().unwrap());
    let results = Path::new(&folder).join(".agentv/results");
    let id = format!("bench-{trials}");
    if !results.join(&id).is_dir() {
        large_run::write(&results.join(&id), trials);
    }
    drop(fs::remove_dir_all(Path::new(&folder).join(".agentv/view")));
    let browser = Browser::start();
    for state in ["without an index", "with a stored index"] {
        let server = Serving::of(&results);
        for state in [state, "with a loaded index"] {
            let page = first_rows(&browser, &server.page(&id), state);
            if state == "with a loaded index" {
                actions(&page);
            }
        }
    }
    println!("peak of the server: {} MiB", peak());
}

/// A server on its own threads.
struct Serving {
    address: String,
    _runtime: Runtime,
}

impl Serving {
    fn of(results: &Path) -> Serving {
        let runtime = Runtime::new().unwrap();
        let server = Server::bind(Runs::of_folder(results), Binding::loopback(0));
        let server = runtime.block_on(server).unwrap();
        let address = server.address();
        runtime.spawn(server.run());
        Serving {
            address,
            _runtime: runtime,
        }
    }

    fn page(&self, id: &str) -> String {
        format!("{}run/{id}", self.address)
    }
}

fn first_rows<'a>(browser: &'a Browser, address: &str, state: &str) -> Page<'a> {
    let page = browser.blank();
    page.size(1440, 900);
    let source = json!({"source": OBSERVE});
    page.call("Page.addScriptToEvaluateOnNewDocument", source);
    page.go(address);
    page.wait("window.firstRows !== undefined");
    let time = page.value("window.firstRows").as_f64().unwrap();
    println!("first rows, {state}: {time:.0} ms");
    page.wait("document.querySelector('.rate') !== null");
    let time = page.value("performance.now()").as_f64().unwrap();
    println!("figures, {state}: {time:.0} ms");
    page
}

/// Measures the actions of a reader.
fn actions(page: &Page<'_>) {
    let settled = "window.lastRows > window.began && document.getElementById('list').getAttribute('aria-busy') === 'false'";
    let measure = |name: &str, action: &str| {
        page.value(&format!("window.began = performance.now(); {action}"));
        page.wait(settled);
        let time = page
            .value("window.lastRows - window.began")
            .as_f64()
            .unwrap();
        println!("{name}: {time:.0} ms, {}", page.told());
    };
    let choose = |field: &str, value: &str| {
        format!(
            "const field = document.getElementById('filter-{field}'); field.value = '{value}'; field.dispatchEvent(new Event('change')); undefined"
        )
    };
    let choose = |field: &str, value: &str| format!("{{ {} }}", choose(field, value));
    measure("status", "document.querySelector('.chip.fail').click()");
    measure("status off", "document.querySelector('.chip.fail').click()");
    measure("target", &choose("target", "large"));
    measure("target off", &choose("target", ""));
    measure("tool", &choose("tool", "search"));
    measure("tool off", &choose("tool", ""));
    for text in ["question 123456", "arrives on tuesday", ""] {
        let typed = format!(
            "{{ const field = document.getElementById('text'); field.value = '{text}'; field.dispatchEvent(new Event('input')); }}"
        );
        measure(
            &format!("text `{text}` (with 120 ms of waiting for more keys)"),
            &typed,
        );
    }
    measure(
        "sorted by score",
        "document.querySelector('#columns [data-sort=score]').click()",
    );
    measure(
        "jump to the middle",
        "scrollTo(0, document.documentElement.scrollHeight / 2)",
    );
    measure(
        "jump to the end",
        "scrollTo(0, document.documentElement.scrollHeight)",
    );
}

/// Returns the largest memory of this process in MiB. The browser is another process.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let figure = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    figure.unwrap_or_default() / 1024
}
