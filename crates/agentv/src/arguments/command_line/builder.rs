//! A command line, built option by option.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use agentv_process::quote_os;
use clap::ValueEnum;

use crate::arguments::LoadArguments;
use crate::arguments::gates::GateArguments;
use crate::arguments::shared::{LimitArguments, OutputArguments};

/// A command line that is being written. Its words are quoted for a POSIX `sh`.
pub(super) struct CommandLine {
    command: &'static str,
    positionals: Vec<OsString>,
    options: Vec<String>,
}

impl CommandLine {
    pub(super) fn new(command: &'static str) -> CommandLine {
        CommandLine {
            command,
            positionals: Vec::new(),
            options: Vec::new(),
        }
    }

    pub(super) fn positionals(&mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) {
        let words = words.into_iter().map(|word| word.as_ref().to_owned());
        self.positionals.extend(words);
    }

    pub(super) fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.options.push(format!("--{name}"));
        }
    }

    fn word(&mut self, name: &str, word: &OsStr) {
        let quoted = quote_os(word);
        // A value that looks like an option must be part of the option's word.
        let separator = match word.as_encoded_bytes().first() {
            Some(b'-') => '=',
            _ => ' ',
        };
        self.options.push(format!("--{name}{separator}{quoted}"));
    }

    pub(super) fn value(&mut self, name: &str, value: Option<&impl ToString>) {
        if let Some(value) = value {
            self.word(name, value.to_string().as_ref());
        }
    }

    pub(super) fn values(&mut self, name: &str, values: &[String]) {
        for value in values {
            self.word(name, value.as_ref());
        }
    }

    pub(super) fn path(&mut self, name: &str, path: Option<&Path>) {
        if let Some(path) = path {
            self.word(name, path.as_os_str());
        }
    }

    pub(super) fn duration(&mut self, name: &str, duration: Option<Duration>) {
        if let Some(duration) = duration {
            self.word(name, in_units(duration).as_ref());
        }
    }

    pub(super) fn name(&mut self, name: &str, value: Option<impl ValueEnum>) {
        let value = value.and_then(|value| value.to_possible_value());
        if let Some(value) = value {
            self.word(name, value.get_name().as_ref());
        }
    }

    pub(super) fn limits(&mut self, limits: &LimitArguments) {
        let LimitArguments {
            workers,
            timeout,
            max_retries,
            budget,
            max_time,
            no_scripts,
        } = limits;
        self.value("workers", workers.as_ref());
        self.duration("timeout", *timeout);
        self.value("max-retries", max_retries.as_ref());
        self.value("budget", budget.as_ref());
        self.duration("max-time", *max_time);
        self.flag("no-scripts", *no_scripts);
    }

    pub(super) fn gates(&mut self, gates: &GateArguments) {
        let GateArguments {
            fail_under,
            min_pass_rate,
            max_errors,
            baseline,
            max_drop,
            max_missing,
            gate,
        } = gates;
        self.value("fail-under", fail_under.as_ref());
        self.value("min-pass-rate", min_pass_rate.as_ref());
        self.value("max-errors", max_errors.as_ref());
        self.value("baseline", baseline.as_ref());
        self.value("max-drop", max_drop.as_ref());
        self.value("max-missing", max_missing.as_ref());
        self.name("gate", *gate);
    }

    pub(super) fn output(&mut self, output: &OutputArguments) {
        let OutputArguments {
            out,
            reports,
            events,
            include_trace,
            quiet,
        } = output;
        self.path("out", out.as_deref());
        for report in reports {
            let mut word = OsString::from(report.format.name);
            if let Some(path) = &report.path {
                word.push("=");
                word.push(path);
            }
            self.word("report", &word);
        }
        self.path("events", events.as_deref());
        self.flag("include-trace", *include_trace);
        self.flag("quiet", *quiet);
    }

    pub(super) fn load(&mut self, load: &LoadArguments) {
        let LoadArguments {
            allow_outside_root,
            verbose,
        } = load;
        self.flag("allow-outside-root", *allow_outside_root);
        self.flag("verbose", *verbose);
    }

    pub(super) fn resume(&mut self, resume: Option<&Option<String>>, retry_errors: bool) {
        self.flag("retry-errors", retry_errors);
        match resume {
            Some(Some(run)) => {
                let run = agentv_process::quote(run);
                self.options.push(format!("--resume={run}"));
            }
            Some(None) => self.options.push("--resume".to_owned()),
            None => {}
        }
    }

    pub(super) fn finish(self) -> String {
        let is_like_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
        let needs_dashes = self.positionals.iter().any(is_like_option);
        let positionals = self.positionals.iter().map(|word| quote_os(word));
        let mut words = vec![self.command.to_owned()];
        if needs_dashes {
            words.extend(self.options);
            words.push("--".to_owned());
            words.extend(positionals);
        } else {
            words.extend(positionals);
            words.extend(self.options);
        }
        words.join(" ")
    }
}

/// Returns a duration in units that `--timeout` reads, such as `1h30m`.
fn in_units(duration: Duration) -> String {
    const UNITS: &[(u128, &str)] = &[
        (3_600_000_000_000, "h"),
        (60_000_000_000, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
        (1, "ns"),
    ];
    // Longer ones are read as a number of seconds only.
    if i64::try_from(duration.as_secs()).is_err() {
        return duration.as_secs().to_string();
    }
    let mut rest = duration.as_nanos();
    let mut text = String::new();
    for (size, unit) in UNITS {
        if rest >= *size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    text
}
