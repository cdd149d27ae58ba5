//! `agentv judge calibrate`: a judge held against people.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use agentv_core::{Planned, ReportError, Reporter, RunEvent, RunRecord};
use agentv_dataset::{Rules, sidecar_path};
use agentv_journal::{RunFolder, list_runs};
use agentv_runner::{Ended, GradedTarget, Journal, PreviousRun, RunSpec, TrialsSpec};
use jiff::Timestamp;

use super::labelled::{Found, Label, Labelled};
use super::told::{Calibration, Judged};
use crate::arguments::{CalibrateArguments, ListFormat};
use crate::commands::load_options;
use crate::commands::run::ending::{self, Closed};
use crate::commands::run::files::is_same;
use crate::commands::run::gates::Gates;
use crate::commands::run::graders::ProjectGraders;
use crate::commands::run::kept_files::KeptFiles;
use crate::commands::run::refused::Refused;
use crate::commands::run::reporting::{Reporting, Told};
use crate::commands::run::targets::{Asking, GradedFile, ResolvedJudges, resolve_judges};
use crate::commands::run::{GRACE, folder, previous_run, ran_target, work, write};
use crate::exit::{Exit, OutputError};
use crate::output;

pub(super) fn run(arguments: &CalibrateArguments) -> Result<Exit, OutputError> {
    let started = Instant::now();
    let prepared = prepare(arguments, Timestamp::now(), started);
    let Prepared {
        spec,
        calibrating,
        run,
    } = match prepared {
        Ok(prepared) => prepared,
        Err(refused) => return Ok(refused.tell()),
    };
    let worked = work(calibrating, |stop, reporter| {
        agentv_runner::run(spec, stop, reporter)
    });
    let (ended, calibrating) = match worked {
        Ok(worked) => worked,
        Err(refused) => return Ok(refused.tell()),
    };
    let mut calibrating = calibrating.lock().unwrap_or_else(PoisonError::into_inner);
    let closed = ending::close(&mut calibrating.reporting, &ended, &run);
    let judged = std::mem::take(&mut calibrating.judged);
    let calibration = Calibration::of(judged, arguments.show);
    ending::told(tell(arguments, &calibration, &closed, &run), &ended)?;
    ending::tell_trouble(&calibrating.reporting, &ended);
    Ok(exit(arguments, &calibration, &closed, &ended, run.planned))
}

/// A calibration that was checked in full, and of which nobody was asked yet.
struct Prepared {
    spec: RunSpec,
    calibrating: Calibrating,
    run: ending::Run,
}

/// Keeps what the judge says beside what people said.
struct Calibrating {
    reporting: Reporting,
    labels: HashMap<String, Label>,
    judged: Vec<Judged>,
}

impl Reporter for Calibrating {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if let RunEvent::Finished { record, .. } = event
            && let Some(label) = self.labels.get(&record.eval_id)
        {
            self.judged.push(Judged::of(record, *label));
        }
        self.reporting.on_event(event)
    }
}

/// The labelled answers, and what was found in them.
struct Subject {
    labelled: Labelled,
    found: Found,
    graders: ProjectGraders,
}

/// The run that a calibration is kept as.
struct Place {
    /// Where the runs of the project are.
    results: PathBuf,
    /// The calibration that goes on, where one does.
    resumed: Option<(RunFolder, RunRecord)>,
}

/// Checks everything, then makes the folder of the run.
fn prepare(
    arguments: &CalibrateArguments,
    now: Timestamp,
    started: Instant,
) -> Result<Prepared, Refused> {
    let subject = Subject::open(arguments, now)?;
    let judges = subject.judges(arguments)?;
    let place = Place::find(arguments, &subject.labelled)?;
    let reporting = reporting(arguments, &judges)?;
    let kept_files = KeptFiles::new(
        place.kept_texts(),
        subject.graders.read_texts(),
        judges.secrets.clone(),
    );
    let record = RunRecord {
        evaluator_files: kept_files.texts(),
        ..record_of(arguments, &subject, &judges, &place, now)?
    };
    let folder = place.folder(now)?;
    let (writer, journal) = write(&folder, &record, &judges.secrets, now)?;
    let calibrating = Calibrating {
        reporting,
        labels: subject.found.labels.clone(),
        judged: Vec::new(),
    };
    let run = ending::Run {
        planned: subject.planned(),
        record,
        folder,
        writer,
        skipped: Vec::new(),
        gates: Gates::default(),
        kept_files,
        started,
    };
    Ok(Prepared {
        spec: spec_of(arguments, subject, judges, &place, journal)?,
        calibrating,
        run,
    })
}

impl Subject {
    fn open(arguments: &CalibrateArguments, now: Timestamp) -> Result<Subject, Refused> {
        let options = load_options(&arguments.load, Rules::Agentv);
        let labelled = Labelled::open(&arguments.file, &options, now.to_string())?;
        let graders = ProjectGraders::new(arguments.load.allow_outside_root, false)
            .without_scripts(arguments.limits.no_scripts);
        Ok(Subject {
            found: labelled.look(&graders)?,
            labelled,
            graders,
        })
    }

    /// Makes those ready who judge.
    fn judges(&self, arguments: &CalibrateArguments) -> Result<ResolvedJudges, Refused> {
        let asking = Asking {
            targets: arguments.targets.as_ref(),
            limits: &arguments.limits,
            rehearsal: None,
        };
        let file = GradedFile {
            file: &self.labelled.file,
            project: self.labelled.project().clone(),
            judges: &self.found.judges,
        };
        resolve_judges(asking, &[file], arguments.target.as_deref(), &[])
    }

    fn planned(&self) -> Planned {
        Planned {
            trials: self.found.labels.len() as u64,
            skipped: 0,
        }
    }
}

impl Place {
    fn find(arguments: &CalibrateArguments, labelled: &Labelled) -> Result<Place, Refused> {
        let results = folder::results_of(&labelled.project().root);
        let resumed = resumed(arguments, labelled, &results)?;
        Ok(Place { results, resumed })
    }

    fn kept_texts(&self) -> BTreeMap<String, String> {
        let before = self.resumed.as_ref();
        let before = before.map(|(_, record)| record.evaluator_files.clone());
        before.unwrap_or_default()
    }

    fn folder(&self, now: Timestamp) -> Result<RunFolder, Refused> {
        match &self.resumed {
            Some((folder, _)) => Ok(folder.clone()),
            None => folder::create(&self.results, now),
        }
    }
}

fn reporting(
    arguments: &CalibrateArguments,
    judges: &ResolvedJudges,
) -> Result<Reporting, Refused> {
    let told = Told {
        verbose: arguments.load.verbose,
        several_targets: false,
        trials: 1,
        secrets: &judges.secrets,
    };
    let sidecar = sidecar_path(&arguments.file);
    Reporting::new(&arguments.output, &told, &|path| {
        let mut read = sidecar.iter().chain([&arguments.file]);
        read.any(|read| is_same(read, path))
    })
}

/// What `run.json` says.
fn record_of(
    arguments: &CalibrateArguments,
    subject: &Subject,
    judges: &ResolvedJudges,
    place: &Place,
    now: Timestamp,
) -> Result<RunRecord, Refused> {
    let before = place.resumed.as_ref();
    let before = before.map(|(_, record)| record.started_at.clone());
    Ok(RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: before.unwrap_or_else(|| now.to_string()),
        files: vec![subject.labelled.ran(&arguments.file)?],
        chosen_targets: arguments.target.iter().cloned().collect(),
        judges: judges.judges.iter().map(ran_target).collect(),
        trials: 1,
        planned: subject.planned().trials,
        calibrated_with: Some(subject.labelled.file.name.to_string()),
        ..RunRecord::default()
    })
}

fn spec_of(
    arguments: &CalibrateArguments,
    subject: Subject,
    judges: ResolvedJudges,
    place: &Place,
    journal: Journal,
) -> Result<RunSpec, Refused> {
    let graded = judges.usual.into_iter().map(|(target, judge)| {
        let judge = Some(judge);
        let reads_files = false;
        (target, GradedTarget { judge, reads_files })
    });
    Ok(RunSpec {
        planned: subject.planned(),
        trials: TrialsSpec::Answers {
            source: Arc::new(subject.labelled),
            targets: graded.collect(),
        },
        targets: Vec::new(),
        cache: None,
        dump_prompts: None,
        judges: judges.judges,
        assignment: judges.assignment,
        graders: Arc::new(subject.graders.with_environments(judges.environments)),
        journal,
        previous_run: match &place.resumed {
            Some((folder, _)) => previous_run(folder, arguments.retry_errors)?,
            None => PreviousRun::default(),
        },
        budget: arguments.limits.budget,
        max_time: arguments.limits.max_time,
        stop_on_required: false,
        include_trace: arguments.output.include_trace,
        grace: GRACE,
    })
}

/// The calibration that goes on, where one is to.
fn resumed(
    arguments: &CalibrateArguments,
    labelled: &Labelled,
    results: &Path,
) -> Result<Option<(RunFolder, RunRecord)>, Refused> {
    let is_same = |record: &RunRecord| {
        record.calibrated_with.as_deref() == Some(&*labelled.file.name)
            && record.chosen_targets.iter().eq(&arguments.target)
    };
    match &arguments.resume {
        None if !arguments.retry_errors => Ok(None),
        Some(Some(name)) => {
            let (folder, record) = folder::find(results, name)?;
            if record.calibrated_with.as_deref() != Some(&*labelled.file.name) {
                let (id, file) = (folder.id(), &labelled.file.name);
                let message = format!("run `{id}` is no calibration with `{file}`");
                return Err(Refused::because(message));
            }
            Ok(Some((folder, record)))
        }
        Some(None) | None => {
            let runs = list_runs(results).map_err(|error| Refused::because(error.to_string()))?;
            let mut same = runs.into_iter().filter_map(|run| {
                let record = run.folder.run::<RunRecord>().ok().flatten()?;
                is_same(&record).then_some((run.folder, record))
            });
            let newest = same.next().ok_or_else(|| {
                let shown = output::from_here(results);
                let message = format!(
                    "there is no calibration to go on with in `{}`",
                    shown.display()
                );
                let hint = "leave `--resume` out to begin one".to_owned();
                Refused::with_hint(message, Some(hint))
            });
            newest.map(Some)
        }
    }
}

fn tell(
    arguments: &CalibrateArguments,
    calibration: &Calibration,
    closed: &Closed,
    run: &ending::Run,
) -> io::Result<()> {
    let shown = output::from_here(run.folder.path());
    let incomplete = closed.summary.trials < run.planned.trials;
    let mut stdout = output::stdout();
    match arguments.format {
        ListFormat::Text => {
            stdout.write_all(calibration.text().as_bytes())?;
            writeln!(stdout, "\nresults  {}", shown.display())?;
        }
        ListFormat::Json => {
            let mut told = calibration.json();
            told["run"] = run.folder.id().as_str().into();
            told["complete"] = (!incomplete).into();
            writeln!(stdout, "{told}")?;
        }
    }
    stdout.flush()?;
    if incomplete {
        let missing = run.planned.trials - closed.summary.trials;
        let missing = output::counted(missing, "case");
        let command = ending::resume_command(run);
        output::note(&format!("{missing} not judged; go on with {command}"));
    }
    Ok(())
}

/// As of a run, but that a low score of an answer is no failure: the gates alone are.
fn exit(
    arguments: &CalibrateArguments,
    calibration: &Calibration,
    closed: &Closed,
    ended: &Ended,
    planned: Planned,
) -> Exit {
    let exit = ending::exit(closed, ended, planned);
    if !matches!(exit, Exit::Success | Exit::Problems) {
        return exit;
    }
    let agreement = &calibration.agreement;
    let gates = [
        ("kappa", "--min-kappa", agreement.kappa, arguments.min_kappa),
        (
            "accuracy",
            "--min-accuracy",
            agreement.accuracy,
            arguments.min_accuracy,
        ),
    ];
    let mut met = true;
    for (name, flag, found, least) in gates {
        let Some(least) = least else { continue };
        if found.is_some_and(|found| found >= least) {
            continue;
        }
        met = false;
        let found = found.map_or_else(|| "not defined".to_owned(), |found| format!("{found:.3}"));
        output::error(
            &format!("{name} is {found}, and `{flag}` wants {least}"),
            None,
        );
    }
    match met {
        true => Exit::Success,
        false => Exit::Problems,
    }
}
