//! Comments for a converted suite: the targets and settings that our own suites have elsewhere.

use std::path::Path;
use std::sync::Arc;

use agentv_dataset::{Dataset, LoadOptions, RunSettings};
use agentv_providers::{SuiteProviders, targets_file};

/// Returns comments on a suite that is converted: its targets as a `targets.yaml`, and its settings as flags.
pub fn comments_on(input: &Path, options: &LoadOptions) -> Vec<String> {
    let Ok(dataset) = Dataset::open(input, options) else {
        // The conversion reports the problem.
        return Vec::new();
    };
    let mut lines = Vec::new();
    if let Some(providers) = dataset.suite_providers() {
        let file: Arc<str> = input.to_string_lossy().into();
        let providers = SuiteProviders {
            file: &file,
            source: &providers.source,
            list: &providers.list,
        };
        lines.push("The targets of the suite, for `targets.yaml`:".to_owned());
        let yaml = targets_file::suite_as_yaml(providers);
        lines.extend(yaml.lines().map(|line| format!("  {line}")));
    }
    let flags = flags(dataset.run_settings());
    if !flags.is_empty() {
        lines.push(format!(
            "The settings of the suite, for `agentv run`: {}",
            flags.join(" ")
        ));
    }
    lines
}

fn flags(settings: &RunSettings) -> Vec<String> {
    let quoted = |text: &str| agentv_process::quote(text);
    let targets = settings.targets.iter();
    let mut flags: Vec<String> = targets
        .map(|name| format!("--target {}", quoted(name)))
        .collect();
    let mut add = |flag: &str, value: Option<String>| {
        flags.extend(value.map(|value| format!("--{flag} {value}")));
    };
    add("trials", settings.trials.map(|number| number.to_string()));
    add("workers", settings.workers.map(|number| number.to_string()));
    add("budget", settings.budget.map(|dollars| dollars.to_string()));
    add(
        "timeout",
        settings.timeout_seconds.map(|seconds| seconds.to_string()),
    );
    add("judge", settings.judge.as_deref().map(quoted));
    flags
}
