//! `agentv grade`: the answers of an earlier run, graded again.

mod origin;
mod subject;
mod todays_files;
mod told;

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use agentv_core::{Planned, RunRecord};
use agentv_runner::{Journal, PreviousRun, RunSpec, TrialsSpec};
use jiff::Timestamp;

use super::run::gates::Gates;
use super::run::kept_files::KeptFiles;
use super::run::refused::Refused;
use super::run::reporting::{Reporting, Told};
use super::run::targets::ResolvedJudges;
use super::run::{GRACE, ending, folder, previous_run, ran_target, work, write};
use crate::arguments::GradeArguments;
use crate::exit::{Exit, OutputError};
use subject::Subject;

pub(crate) fn run(arguments: &GradeArguments) -> Result<Exit, OutputError> {
    let started = Instant::now();
    let prepared = prepare(arguments, Timestamp::now(), started);
    let Prepared {
        spec,
        reporting,
        run,
    } = match prepared {
        Ok(prepared) => prepared,
        Err(refused) => return Ok(refused.tell()),
    };
    let worked = work(reporting, |stop, reporter| {
        agentv_runner::run(spec, stop, reporter)
    });
    let (ended, reporting) = match worked {
        Ok(worked) => worked,
        Err(refused) => return Ok(refused.tell()),
    };
    let mut reporting = reporting.lock().unwrap_or_else(PoisonError::into_inner);
    ending::end(&arguments.output, &mut reporting, &ended, &run)
}

/// A grading that was checked in full, and of which nobody was asked yet.
struct Prepared {
    spec: RunSpec,
    reporting: Reporting,
    run: ending::Run,
}

/// Checks everything, then makes the folder of the grading.
fn prepare(
    arguments: &GradeArguments,
    now: Timestamp,
    started: Instant,
) -> Result<Prepared, Refused> {
    let subject = Subject::find(arguments)?;
    let judges = subject.judges(arguments)?;
    let reporting = reporting(arguments, &subject, &judges)?;
    let graded = &subject.graded;
    let going_on = graded.resumed.as_ref().map(|(folder, _)| folder);
    let gates = Gates::open(&arguments.gates, &graded.results, going_on)?;
    let kept_files = KeptFiles::new(
        subject.kept_texts(),
        subject.graders.read_texts(),
        judges.secrets.clone(),
    );
    let record = RunRecord {
        evaluator_files: kept_files.texts(),
        ..record_of(arguments, &subject, &judges, now)
    };
    let folder = match going_on {
        Some(folder) => folder.clone(),
        None => folder::create(&graded.results, now)?,
    };
    let (writer, journal) = write(&folder, &record, &judges.secrets, now)?;
    let run = ending::Run {
        planned: planned(&subject),
        record,
        folder,
        writer,
        skipped: Vec::new(),
        gates,
        kept_files,
        started,
    };
    Ok(Prepared {
        spec: spec_of(arguments, subject, judges, journal)?,
        reporting,
        run,
    })
}

fn reporting(
    arguments: &GradeArguments,
    subject: &Subject,
    judges: &ResolvedJudges,
) -> Result<Reporting, Refused> {
    let told = Told {
        verbose: arguments.load.verbose,
        several_targets: subject.has_several_targets(),
        trials: subject.graded.record.trials,
        secrets: &judges.secrets,
    };
    Reporting::new(&arguments.output, &told, &|path| {
        subject.reads(arguments, path)
    })
}

fn planned(subject: &Subject) -> Planned {
    Planned {
        trials: subject.trials,
        skipped: 0,
    }
}

fn spec_of(
    arguments: &GradeArguments,
    subject: Subject,
    judges: ResolvedJudges,
    journal: Journal,
) -> Result<RunSpec, Refused> {
    Ok(RunSpec {
        planned: planned(&subject),
        previous_run: match &subject.graded.resumed {
            Some((folder, _)) => previous_run(folder, arguments.retry_errors)?,
            None => PreviousRun::default(),
        },
        trials: TrialsSpec::Answers {
            targets: subject.targets(&judges),
            source: Arc::new(subject.regrading),
        },
        targets: Vec::new(),
        cache: None,
        dump_prompts: None,
        graders: Arc::new(subject.graders.with_environments(judges.environments)),
        judges: judges.judges,
        assignment: judges.assignment,
        journal,
        budget: arguments.limits.budget,
        max_time: arguments.limits.max_time,
        stop_on_required: arguments.stop_on_required,
        include_trace: arguments.output.include_trace,
        grace: GRACE,
    })
}

/// What `run.json` says: what was asked is what the origin says of itself.
fn record_of(
    arguments: &GradeArguments,
    subject: &Subject,
    judges: &ResolvedJudges,
    now: Timestamp,
) -> RunRecord {
    let graded = &subject.graded;
    let before = graded.resumed.as_ref().map(|(_, record)| record);
    RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: before.map_or_else(|| now.to_string(), |before| before.started_at.clone()),
        finished_at: None,
        judges: judges.judges.iter().map(ran_target).collect(),
        planned: subject.trials,
        eval_ids: arguments.eval_ids.clone(),
        limit: arguments.limit,
        rerun_of: None,
        graded_from: Some(graded.folder.id().to_string()),
        evaluators_file: subject.evaluators_file.clone(),
        stop_on_required: arguments.stop_on_required,
        merged_from: Vec::new(),
        stopped: None,
        totals: None,
        ..graded.record.clone()
    }
}
