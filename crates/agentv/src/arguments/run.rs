//! The command line of `agentv run`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use agentv_runner::Shard;
use clap::Args;

use super::LoadArguments;

/// Run cases against targets and grade the answers
///
/// Eval files are checked as a whole before anything is asked. Everything that is answered and graded
/// is written at once, into a folder of the run's own under `.agentv/results`: an interrupted run is
/// resumed with `--resume`, and what was answered is not asked again. Exit code: 0 no case failed, 1 some
/// failed, 2 nothing ran because the command line or a file is wrong, 3 some cases errored, 4 stopped by
/// `--budget` or `--max-time`, 5 results could not be written, 130 interrupted, 143 terminated.
#[derive(Debug, Args)]
#[command(
    visible_alias = "eval",
    after_help = "\
Examples:
  agentv run evals/test.jsonl                          one file, with its sidecar
  agentv run evals 'more/**/*.yaml'                    folders and globs, formats mixed
  agentv run evals --target openai:gpt-5               a model, without any configuration
  agentv run evals --target gpt --target claude        every case on both
  agentv run evals --resume                            go on where the last run stopped
  agentv run evals --shard 1/4                         a quarter of the cases; see `agentv merge`
  agentv run evals --dry-run                           ask nobody, see what would happen"
)]
pub(crate) struct RunArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Ask this target in place of those that the files name; repeat it to ask several
    #[arg(long = "target", value_name = "NAME", help_heading = "What is run")]
    pub(crate) chosen_targets: Vec<String>,
    /// The file that defines the targets, in place of the nearest `targets.yaml`
    #[arg(long, value_name = "FILE", help_heading = "What is run")]
    pub(crate) targets: Option<PathBuf>,
    /// Only cases whose ids match; repeat it for more
    #[arg(long = "eval-id", value_name = "GLOB", help_heading = "What is run")]
    pub(crate) eval_ids: Vec<String>,
    /// Only the first N cases
    #[arg(long, value_name = "N", value_parser = from_one::<u64>, help_heading = "What is run")]
    pub(crate) limit: Option<u64>,
    /// Only one of N shares of the cases, the same on every machine
    #[arg(long, value_name = "I/N", help_heading = "What is run")]
    pub(crate) shard: Option<Shard>,
    /// Ask each case so many times, once unless given
    #[arg(long, value_name = "N", value_parser = from_one::<u32>, help_heading = "What is run")]
    pub(crate) trials: Option<u32>,
    /// Put a mock in the place of every target; results are marked
    #[arg(long, help_heading = "What is run")]
    pub(crate) dry_run: bool,
    /// How long the mock takes, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        requires = "dry_run",
        help_heading = "What is run"
    )]
    pub(crate) dry_run_delay: Option<u64>,
    /// The shortest that the mock takes, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        requires = "dry_run",
        conflicts_with = "dry_run_delay",
        help_heading = "What is run"
    )]
    pub(crate) dry_run_delay_min: Option<u64>,
    /// The longest that the mock takes, in milliseconds
    #[arg(
        long,
        value_name = "MS",
        requires = "dry_run",
        conflicts_with = "dry_run_delay",
        help_heading = "What is run"
    )]
    pub(crate) dry_run_delay_max: Option<u64>,
    /// Ask no judge about an answer that a required check has failed
    #[arg(long, help_heading = "What is run")]
    pub(crate) stop_on_required: bool,
    /// Refuse files in which any case is wrong, in place of skipping it
    #[arg(long, help_heading = "What is run")]
    pub(crate) strict: bool,

    /// Go on with an earlier run: the newest of the same files, targets and trials, or RUN
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, help_heading = "Earlier runs")]
    pub(crate) resume: Option<Option<String>>,
    /// With a resumed run, also run again what errored (resumes the newest run by itself)
    #[arg(long, help_heading = "Earlier runs")]
    pub(crate) retry_errors: bool,
    /// Only what failed or errored in RUN, as a new run
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "retry_errors"], help_heading = "Earlier runs")]
    pub(crate) rerun_failed: Option<String>,
    /// Take answers from earlier runs where nothing that can change them has changed
    #[arg(long, help_heading = "Earlier runs")]
    pub(crate) cache: bool,

    /// The most requests in flight to each target
    #[arg(long, value_name = "N", value_parser = from_one::<u64>, help_heading = "Limits")]
    pub(crate) workers: Option<u64>,
    /// The longest that one attempt may take, such as `90s` or `5m`
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,
    /// How often a failed attempt is repeated
    #[arg(long, value_name = "N", value_parser = whole::<u32>, help_heading = "Limits")]
    pub(crate) max_retries: Option<u32>,
    /// Stop before the run costs more
    #[arg(long, value_name = "USD", value_parser = amount, help_heading = "Limits")]
    pub(crate) budget: Option<f64>,
    /// Stop before the run takes longer, such as `15m` or `1h30m`
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) max_time: Option<Duration>,

    /// Also write the results to FILE: .jsonl, .yaml, .json or .csv
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Put everything that the target said into the results
    #[arg(long, help_heading = "Output")]
    pub(crate) include_trace: bool,
    /// Write what each case sends to its target into DIR
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) dump_prompts: Option<PathBuf>,
    /// Show nothing but the summary and errors
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    let number = text.parse();
    number.map_err(|_| "expected a whole number such as `3`".to_owned())
}

fn from_one<N: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| *number >= N::from(1));
    number.ok_or_else(|| "expected a whole number from 1 on".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().map(Duration::try_from_secs_f64);
    let friendly = || text.parse::<jiff::SignedDuration>().ok()?.try_into().ok();
    let duration = seconds.and_then(Result::ok).or_else(friendly);
    duration
        .filter(|duration: &Duration| !duration.is_zero())
        .ok_or_else(|| "expected a time such as `90s`, `15m` or `1h30m`".to_owned())
}

fn amount(text: &str) -> Result<f64, String> {
    let amount = text.trim_start_matches('$').parse::<f64>().ok();
    amount
        .filter(|amount| amount.is_finite() && *amount >= 0.0)
        .ok_or_else(|| "expected an amount in US dollars such as `2.50`".to_owned())
}
