//! The `agentv` command: arguments in, one command, an exit code out.

mod arguments;
mod calibration;
mod commands;
mod diagnostics;
mod ending;
mod engine;
mod escaping_writer;
mod execution;
mod exit;
mod if_read;
mod log;
mod new_files;
mod output;
mod page_server;
mod reporting;
mod run_view;
mod signals;
mod stderr_notices;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use exit::CommandError;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A second process of this program supervises the commands that a run starts.
    if let Some(exit) = agentv_process::supervise(std::env::args_os()) {
        return exit;
    }
    agentv_process::hide_environment();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::wrong_arguments(&error),
    };
    let log = arguments.log;
    match log::LogLevel::or_from_environment(log) {
        Ok(level) => log::start(level),
        Err(error) => return CommandError::from(error).report().into(),
    }
    log::log_caught_panics();
    let exit = match arguments.command {
        Command::Run(arguments) => commands::run::run(&arguments, log),
        Command::Grade(arguments) => commands::grade::run(&arguments, log),
        Command::Judge(arguments) => commands::judge::run(&arguments, log),
        Command::Merge(arguments) => commands::merge::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Runs(arguments) => commands::runs::run(&arguments),
        Command::Trend(arguments) => commands::trend::run(&arguments),
        Command::View(arguments) => commands::view::run(&arguments),
        Command::Worker(arguments) => commands::worker::run(&arguments),
        Command::Engine(arguments) => commands::engine::run(&arguments),
        Command::Init(arguments) => commands::init::run(&arguments),
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Validate(arguments) => commands::validate::run(&arguments),
        Command::Show(arguments) => commands::show::run(&arguments),
        Command::Convert(arguments) => commands::convert::run(&arguments),
        Command::Generate(arguments) => commands::generate::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Targets(arguments) => commands::targets::run(&arguments),
        Command::Schema(arguments) => commands::schema::run(&arguments),
        Command::Lsp(_) => commands::lsp::run(),
        Command::Completions(arguments) => commands::completions::run(&arguments),
        Command::Man(arguments) => commands::man::run(&arguments),
    };
    exit.unwrap_or_else(|error| error.report()).into()
}
