//! The command lines of the commands that can be resumed.

use super::builder::CommandLine;
use crate::arguments::{CalibrateArguments, GradeArguments, RunArguments};
use crate::log::LogLevel;

impl RunArguments {
    /// Returns a command line for a POSIX `sh` that parses to these arguments and this `--log`.
    pub(crate) fn command_line(&self, log: Option<LogLevel>) -> String {
        // Without `..`, so that a new option does not compile until it is written here.
        let RunArguments {
            paths,
            chosen_targets,
            targets,
            judge,
            allow_self_judging,
            eval_ids,
            limit,
            shard,
            balance,
            trials,
            dry_run,
            dry_run_delay,
            dry_run_delay_min,
            dry_run_delay_max,
            stop_on_required,
            pass_threshold,
            strict,
            resume,
            retry_errors,
            rerun_failed,
            cache,
            limits,
            engine,
            engine_name,
            whole_limits,
            gates,
            tags,
            dump_prompts,
            include_raw,
            view,
            output,
            load,
        } = self;
        let mut line = CommandLine::new("agentv run");
        line.positionals(paths);
        line.values("target", chosen_targets);
        line.path("targets", targets.as_deref());
        line.value("judge", judge.as_ref());
        line.flag("allow-self-judging", *allow_self_judging);
        line.values("eval-id", eval_ids);
        line.value("limit", limit.as_ref());
        line.value("shard", shard.as_ref());
        line.value("balance", balance.as_ref());
        line.value("trials", trials.as_ref());
        line.flag("dry-run", *dry_run);
        line.value("dry-run-delay", dry_run_delay.as_ref());
        line.value("dry-run-delay-min", dry_run_delay_min.as_ref());
        line.value("dry-run-delay-max", dry_run_delay_max.as_ref());
        line.flag("stop-on-required", *stop_on_required);
        line.value("pass-threshold", pass_threshold.as_ref());
        line.flag("strict", *strict);
        line.value("rerun-failed", rerun_failed.as_ref());
        line.flag("cache", *cache);
        line.limits(limits);
        line.value("engine", engine.as_ref());
        line.value("engine-name", engine_name.as_ref());
        line.flag("whole-limits", *whole_limits);
        line.gates(gates);
        line.values("tag", tags);
        line.path("dump-prompts", dump_prompts.as_deref());
        line.flag("include-raw", *include_raw);
        line.flag("view", *view);
        line.output(output);
        line.load(load);
        line.name("log", log);
        line.resume(resume.as_ref(), *retry_errors);
        line.finish()
    }
}

impl GradeArguments {
    /// Returns a command line for a POSIX `sh` that parses to these arguments and this `--log`.
    pub(crate) fn command_line(&self, log: Option<LogLevel>) -> String {
        let GradeArguments {
            run,
            evaluators,
            targets,
            judge,
            allow_self_judging,
            eval_ids,
            limit,
            pass_threshold,
            stop_on_required,
            resume,
            retry_errors,
            limits,
            gates,
            output,
            load,
        } = self;
        let mut line = CommandLine::new("agentv grade");
        line.positionals([run]);
        line.path("evaluators", evaluators.as_deref());
        line.path("targets", targets.as_deref());
        line.value("judge", judge.as_ref());
        line.flag("allow-self-judging", *allow_self_judging);
        line.values("eval-id", eval_ids);
        line.value("limit", limit.as_ref());
        line.value("pass-threshold", pass_threshold.as_ref());
        line.flag("stop-on-required", *stop_on_required);
        line.limits(limits);
        line.gates(gates);
        line.output(output);
        line.load(load);
        line.name("log", log);
        line.resume(resume.as_ref(), *retry_errors);
        line.finish()
    }
}

impl CalibrateArguments {
    /// Returns a command line for a POSIX `sh` that parses to these arguments and this `--log`.
    pub(crate) fn command_line(&self, log: Option<LogLevel>) -> String {
        let CalibrateArguments {
            file,
            target,
            targets,
            min_kappa,
            min_accuracy,
            resume,
            retry_errors,
            limits,
            show,
            format,
            output,
            load,
        } = self;
        let mut line = CommandLine::new("agentv judge calibrate");
        line.positionals([file]);
        line.value("target", target.as_ref());
        line.path("targets", targets.as_deref());
        line.value("min-kappa", min_kappa.as_ref());
        line.value("min-accuracy", min_accuracy.as_ref());
        line.limits(limits);
        line.value("show", Some(show).filter(|show| **show != Self::SHOWN));
        line.name(
            "format",
            Some(*format).filter(|format| *format != Self::FORMAT),
        );
        line.output(output);
        line.load(load);
        line.name("log", log);
        line.resume(resume.as_ref(), *retry_errors);
        line.finish()
    }
}
