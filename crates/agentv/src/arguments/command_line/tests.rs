//! Tests that a written command line parses to the same arguments.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::process::Command as Process;

use clap::{CommandFactory, Parser};
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::arguments::{
    Arguments, CalibrateArguments, Command, GradeArguments, JudgeAction, RunArguments,
};
use crate::log::LogLevel;

/// The words of one option, its name first.
type Words = &'static [&'static str];

const SHARED: &[Words] = &[
    &["--targets", "a dir/targets.yaml"],
    &["--workers", "7"],
    &["--timeout", "90s"],
    &["--timeout", "1h30m2s3ms4us5ns"],
    &["--timeout", "1e19"],
    &["--timeout", "9e18"],
    &["--max-retries", "0"],
    &["--budget", "0.1"],
    &["--budget", "$1e300"],
    &["--max-time", "1.5"],
    &["--no-scripts"],
    &["--out", "latest.jsonl"],
    &["--report=html=it's a report.html"],
    &["--report", "junit=two\nlines.xml"],
    &["--report", "github"],
    &["--events", "-"],
    &["--events=-.jsonl"],
    &["--include-trace"],
    &["--quiet"],
    &["--verbose"],
    &["--allow-outside-root"],
    &["--retry-errors"],
    &["--resume"],
    &["--resume=latest"],
    &["--resume=-odd $name"],
];

const GATES: &[Words] = &[
    &["--fail-under", "0.30000000000000004"],
    &["--min-pass-rate", "1"],
    &["--max-errors", "18446744073709551615"],
    &["--max-errors", "0.1%"],
    &["--max-missing", "2", "--baseline", "x"],
    &["--baseline", "latest~1"],
    &["--max-drop", "5e-324", "--baseline", "x"],
    &["--gate", "significant", "--baseline", "x"],
];

const RUN: &[Words] = &[
    &["--target", "openai:gpt-5"],
    &["--target=--odd"],
    &["--target", ""],
    &["--eval-id", "*"],
    &["--eval-id", "naïve `id`"],
    &["--limit", "3"],
    &["--shard", "1/4"],
    &["--shard", "auto"],
    &["--balance", "latest~1", "--shard", "2/4"],
    &["--whole-limits"],
    &["--engine", "nats://localhost:4222"],
    &["--engine-name", "team", "--engine", "nats://localhost:4222"],
    &["--view"],
    &["--trials", "2"],
    &["--tag", "nightly"],
    &["--dry-run"],
    &["--dry-run-delay", "5", "--dry-run"],
    &["--dry-run-delay-min", "5", "--dry-run"],
    &["--dry-run-delay-max", "6", "--dry-run"],
    &["--judge", "strict judge"],
    &["--allow-self-judging"],
    &["--stop-on-required"],
    &["--pass-threshold", "0.9"],
    &["--strict"],
    &["--rerun-failed", "latest"],
    &["--cache"],
    &["--dump-prompts", "prompts"],
    &["--include-raw"],
];

const GRADE: &[Words] = &[
    &["--judge", "strict judge"],
    &["--allow-self-judging"],
    &["--evaluators", "strict.yaml"],
    &["--eval-id", "a b"],
    &["--limit", "1"],
    &["--stop-on-required"],
    &["--pass-threshold", "0.9"],
];

const CALIBRATE: &[Words] = &[
    &["--target", "judge"],
    &["--min-kappa", "-0.5"],
    &["--min-accuracy", "0.9"],
    &["--show", "0"],
    &["--show", "10"],
    &["--format", "json"],
];

/// An option of every command.
const LOG: Words = &["--log", "debug"];

/// The arguments of a command that can be resumed.
#[derive(Debug, PartialEq)]
enum Parsed {
    Run(Box<RunArguments>),
    Grade(Box<GradeArguments>),
    Calibrate(Box<CalibrateArguments>),
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Option<(Parsed, Option<LogLevel>)> {
    let arguments = Arguments::try_parse_from(words).ok()?;
    let parsed = match arguments.command {
        Command::Run(arguments) => Parsed::Run(arguments),
        Command::Grade(arguments) => Parsed::Grade(arguments),
        Command::Judge(arguments) => match arguments.action {
            JudgeAction::Calibrate(arguments) => Parsed::Calibrate(arguments),
        },
        _ => return None,
    };
    Some((parsed, arguments.log))
}

fn line_of((parsed, log): &(Parsed, Option<LogLevel>)) -> String {
    match parsed {
        Parsed::Run(arguments) => arguments.command_line(*log),
        Parsed::Grade(arguments) => arguments.command_line(*log),
        Parsed::Calibrate(arguments) => arguments.command_line(*log),
    }
}

/// Reads a line as a shell does.
fn words_of(line: &str) -> Vec<OsString> {
    let script = format!("set -- {line}; printf '%s\\0' \"$@\"");
    let output = Process::new("sh").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{line}");
    let words = output.stdout.split(|byte| *byte == 0);
    let mut words: Vec<OsString> = words
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    words.pop();
    words
}

/// Checks that a command line that parses is written as one that parses to the same.
fn check(command: &[&str], positionals: &[OsString], options: &[Words]) -> bool {
    let words = command.iter().chain(options.iter().copied().flatten());
    let words = words.map(OsString::from);
    let words = words
        .chain([OsString::from("--")])
        .chain(positionals.iter().cloned());
    let Some(parsed) = parse(words) else {
        return false;
    };
    let line = line_of(&parsed);
    let again = parse(words_of(&line));
    assert_eq!(again.as_ref(), Some(&parsed), "{line}");
    true
}

fn options_of(command: &[&str]) -> Vec<Words> {
    let parts: &[&[Words]] = match command {
        ["agentv", "run"] => &[SHARED, GATES, RUN],
        ["agentv", "grade"] => &[SHARED, GATES, GRADE],
        _ => &[SHARED, CALIBRATE],
    };
    parts.concat()
}

const COMMANDS: &[&[&str]] = &[
    &["agentv", "run"],
    &["agentv", "grade"],
    &["agentv", "judge", "calibrate"],
];

fn positional() -> impl Strategy<Value = OsString> {
    prop_oneof![
        "[a-z./~$'\" \\-]{1,12}".prop_map(OsString::from),
        Just(OsString::from("latest")),
        Just(OsString::from("--resume")),
        Just(OsString::from_vec(vec![b'a', 0xff, b'\n', b'b'])),
    ]
}

#[test]
fn every_option_of_the_resumable_commands_is_tested() {
    for command in COMMANDS {
        let mut clap = Arguments::command();
        for name in &command[1..] {
            clap = clap.find_subcommand(name).unwrap().clone();
        }
        let defined = clap
            .get_arguments()
            .filter_map(|argument| argument.get_long());
        let defined: BTreeSet<&str> = defined.filter(|name| *name != "help").collect();
        let options = options_of(command);
        let tested = options.iter().map(|words| {
            let name = words[0].trim_start_matches("--");
            name.split_once('=').map_or(name, |(name, _)| name)
        });
        assert_eq!(tested.collect::<BTreeSet<&str>>(), defined, "{command:?}");
    }
}

#[test]
fn every_option_by_itself_is_written_as_it_was_read() {
    for command in COMMANDS {
        for option in options_of(command).into_iter().chain([LOG]) {
            let positionals = ["evals".into()];
            assert!(check(command, &positionals, &[option]), "{option:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn options_together_are_written_as_they_were_read(
        run in subsequence(options_of(COMMANDS[0]), 0..12),
        grade in subsequence(options_of(COMMANDS[1]), 0..8),
        calibrate in subsequence(options_of(COMMANDS[2]), 0..8),
        paths in prop::collection::vec(positional(), 1..4),
    ) {
        check(COMMANDS[0], &paths, &run);
        check(COMMANDS[1], &paths[..1], &grade);
        check(COMMANDS[2], &paths[..1], &calibrate);
    }
}
