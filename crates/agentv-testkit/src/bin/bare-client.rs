//! Calls a server as fast as a bare `reqwest` loop can, and prints the figures as JSON.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// The allocator of the measured program, for a fair comparison.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Send chat completions and print `requests`, `errors`, `seconds`, `requests_per_second`,
/// `latency_ms` and `cpu_seconds` as one line of JSON.
#[derive(Parser)]
struct Arguments {
    /// The server, without a path: `http://127.0.0.1:8080`.
    url: String,
    /// The number of requests (default: one per case, or one)
    #[arg(long, value_name = "N")]
    requests: Option<u64>,
    /// The number of requests in flight
    #[arg(long, value_name = "N", default_value_t = 10)]
    concurrency: usize,
    /// A JSONL dataset whose cases are sent in turn
    #[arg(long, value_name = "FILE")]
    dataset: Option<PathBuf>,
    /// The question if there is no dataset
    #[arg(long, default_value = "What is the capital of France?")]
    prompt: String,
    /// The name of the model
    #[arg(long, default_value = "model")]
    model: String,
    /// The time limit of a request in seconds
    #[arg(long, default_value_t = 60)]
    timeout: u64,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(report) => {
            let _ = writeln!(io::stdout(), "{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<Value> {
    let prompts = match &arguments.dataset {
        Some(file) => read(file)?,
        None => vec![json!([{"role": "user", "content": arguments.prompt}])],
    };
    // Another thread may have set it first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .pool_max_idle_per_host(arguments.concurrency)
        .timeout(Duration::from_secs(arguments.timeout))
        .build()
        .map_err(io::Error::other)?;
    let load = Arc::new(Load {
        client,
        url: format!(
            "{}/v1/chat/completions",
            arguments.url.trim_end_matches('/')
        ),
        model: arguments.model.clone(),
        requests: arguments.requests.unwrap_or(prompts.len() as u64),
        prompts,
        sent: AtomicU64::new(0),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(load, arguments.concurrency))
}

/// Reads the messages of every case of a dataset.
fn read(file: &Path) -> io::Result<Vec<Value>> {
    let mut prompts = Vec::new();
    for line in BufReader::new(File::open(file)?).lines() {
        let line = line?;
        if !line.trim().is_empty() {
            prompts.push(messages(serde_json::from_str(&line)?));
        }
    }
    if prompts.is_empty() {
        return Err(io::Error::other(format!(
            "`{}` has no cases",
            file.display()
        )));
    }
    Ok(prompts)
}

fn messages(mut case: Value) -> Value {
    let mut written = |name: &str| case.get_mut(name).map(Value::take);
    let input = written("input").or_else(|| written("input_messages"));
    let input = input.unwrap_or_default();
    let Value::Array(mut messages) = input else {
        return json!([{"role": "user", "content": input}]);
    };
    for message in &mut messages {
        if let Value::Array(blocks) = &message["content"] {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|one| one["value"].as_str())
                .collect();
            message["content"] = texts.join("\n").into();
        }
    }
    messages.into()
}

struct Load {
    client: Client,
    url: String,
    model: String,
    prompts: Vec<Value>,
    requests: u64,
    sent: AtomicU64,
}

impl Load {
    /// Sends requests until there are no more; returns the duration of each and the number of
    /// failures.
    async fn work(self: Arc<Load>) -> (Vec<Duration>, u64) {
        let (mut times, mut errors) = (Vec::new(), 0);
        loop {
            let number = self.sent.fetch_add(1, Ordering::Relaxed);
            if number >= self.requests {
                return (times, errors);
            }
            let prompt = &self.prompts[number as usize % self.prompts.len()];
            let start = Instant::now();
            match self.ask(prompt).await {
                Some(_) => times.push(start.elapsed()),
                None => errors += 1,
            }
        }
    }

    /// Returns the answer, if there is one.
    async fn ask(&self, messages: &Value) -> Option<String> {
        let body = json!({"model": self.model, "messages": messages});
        let request = self.client.post(&self.url).bearer_auth("none").json(&body);
        let response = request.send().await.ok()?.error_for_status().ok()?;
        let answer: Value = response.json().await.ok()?;
        let text = answer["choices"][0]["message"]["content"].as_str()?;
        Some(text.to_owned())
    }
}

async fn measure(load: Arc<Load>, concurrency: usize) -> io::Result<Value> {
    let start = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..concurrency.max(1) {
        workers.spawn(Arc::clone(&load).work());
    }
    let (mut times, mut errors) = (Vec::new(), 0);
    while let Some(worked) = workers.join_next().await {
        let (its_times, its_errors) = worked.map_err(io::Error::other)?;
        times.extend(its_times);
        errors += its_errors;
    }
    let seconds = start.elapsed().as_secs_f64();
    times.sort_unstable();
    Ok(json!({
        "requests": load.requests,
        "errors": errors,
        "seconds": seconds,
        "requests_per_second": load.requests as f64 / seconds,
        "latency_ms": {
            "p50": percentile(&times, 50),
            "p90": percentile(&times, 90),
            "p99": percentile(&times, 99),
        },
        "cpu_seconds": cpu_seconds()?,
    }))
}

/// Returns a quantile in milliseconds, or `None` without values.
fn percentile(sorted: &[Duration], percent: usize) -> Option<f64> {
    let position = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted
        .get(position)
        .map(|time| time.as_secs_f64() * 1_000.0)
}

/// Returns the CPU time of this process so far, including reading the dataset.
fn cpu_seconds() -> io::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let times: Vec<Duration> = (1..=100).map(Duration::from_millis).collect();
        assert_eq!(percentile(&times, 50), Some(50.0));
        assert_eq!(percentile(&times, 99), Some(99.0));
        assert_eq!(percentile(&times[..1], 99), Some(1.0));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn the_messages_of_a_case_are_what_a_chat_takes() {
        let user = |text: &str| json!([{"role": "user", "content": text}]);
        assert_eq!(messages(json!({"input": "a"})), user("a"));
        let blocks = json!([{"role": "user", "content": [
            {"type": "text", "value": "a"}, {"type": "text", "value": "b"}]}]);
        assert_eq!(messages(json!({"input_messages": blocks})), user("a\nb"));
    }
}
