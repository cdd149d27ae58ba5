//! The level of the log, from the command line or the environment.

use agentv_project::ProjectError;
use clap::ValueEnum;
use tracing::level_filters::LevelFilter;

/// The variable that sets the level if `--log` does not.
const VARIABLE: &str = "AGENTV_LOG";

/// The amount of logging.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// Nothing
    Off,
    /// Errors
    Error,
    /// Retries and errored trials as well
    Warn,
    /// Files, targets and run folders as well
    Info,
    /// Trials and commands as well
    Debug,
    /// Everything
    Trace,
}

impl LogLevel {
    /// Returns the level of `--log`, else that of `AGENTV_LOG`, else off.
    ///
    /// # Errors
    /// If the variable holds no level.
    pub(crate) fn or_from_environment(given: Option<LogLevel>) -> Result<LogLevel, ProjectError> {
        let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        match (given, variable()) {
            (Some(level), _) => Ok(level),
            (None, None) => Ok(LogLevel::Off),
            (None, Some(value)) => {
                let value = value.to_string_lossy();
                LogLevel::from_str(&value, true).map_err(|_| wrong(&value))
            }
        }
    }

    pub(super) fn filter(self) -> LevelFilter {
        match self {
            LogLevel::Off => LevelFilter::OFF,
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
            LogLevel::Trace => LevelFilter::TRACE,
        }
    }
}

fn wrong(value: &str) -> ProjectError {
    let levels = LogLevel::value_variants().iter();
    let names = levels.filter_map(|level| level.to_possible_value());
    let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
    ProjectError::with_hint(
        format!("`{VARIABLE}={value}` is not a log level"),
        format!("use one of {}", names.join(", ")),
    )
}
