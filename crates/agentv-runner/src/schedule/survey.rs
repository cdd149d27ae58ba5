//! The survey of a run: its work, counted before anything is asked.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{EvalCase, EvalFile, EvaluatorError, EvaluatorSpec, Judge, Source};

use crate::case_source::{CaseSource, SourceError};
use crate::schedule::read_files::{FilesRead, ReadFiles};
use crate::schedule::selection::{Selection, Selector};
use crate::trial::grade::Graders;

/// The work of a run, counted before anything is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The number of selected cases.
    pub cases: u64,
    /// The number of their trials.
    pub trials: u64,
    /// The number of trials that a resumed run selected before, as the files are now.
    pub trials_before: u64,
    /// The number of those that are not selected now.
    pub trials_only_before: u64,
    /// True if a selected case asks for a workspace.
    pub has_workspaces: bool,
    /// True if a selected case depends on others.
    pub has_dependencies: bool,
    /// True if the selection has cases in other shards.
    pub is_elsewhere: bool,
    /// The targets and judges of the selected cases.
    pub selected: Needs,
    /// Those of the cases that a resumed run selected before and that are not selected now.
    pub only_before: Needs,
    /// The files that cases embed and their evaluators read, of all shards.
    pub files: FilesRead,
}

/// The targets and judges that cases need, by the index of the eval file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs(Vec<FileNeeds>);

/// The targets and judges that cases of one eval file need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileNeeds {
    /// The names of the targets.
    pub targets: BTreeSet<String>,
    /// The judges.
    pub judges: FileJudges,
}

/// The judges that the cases of an eval file need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileJudges {
    /// The judges that evaluators name.
    pub named: BTreeSet<String>,
    /// The targets whose answers are graded by their usual judge.
    pub judged: BTreeSet<String>,
}

impl Needs {
    /// Returns what the cases of each eval file need, in order. Files at the end that need nothing may be
    /// missing.
    pub fn files(&self) -> &[FileNeeds] {
        &self.0
    }

    fn of_file(&mut self, index: usize) -> &mut FileNeeds {
        if self.0.len() <= index {
            self.0.resize_with(index + 1, FileNeeds::default);
        }
        &mut self.0[index]
    }
}

impl FileNeeds {
    /// Adds the targets of a case and the judges of its evaluators.
    fn add(&mut self, targets: &[String], judges: Vec<Judge>) {
        let mut is_usual = false;
        for judge in judges {
            match judge {
                Judge::Usual => is_usual = true,
                Judge::Named(name) => {
                    self.judges.named.insert(name);
                }
            }
        }
        for target in targets {
            if !self.targets.contains(target) {
                self.targets.insert(target.clone());
            }
            let judged = &mut self.judges.judged;
            if is_usual && !judged.contains(target) {
                judged.insert(target.clone());
            }
        }
    }
}

/// Visits all cases once. `before` is what a resumed run selected before, which is counted too. `chosen`
/// are the targets for every case (default: the target that the case names).
///
/// # Errors
/// Fails if a file can no longer be read, or if an evaluator cannot be used.
pub fn survey(
    source: &dyn CaseSource,
    selection: &Selection,
    before: Option<&Selection>,
    graders: &dyn Graders,
    chosen: &[String],
    trials: u32,
) -> Result<Survey, SourceError> {
    let mut surveying = Surveying {
        selection,
        graders,
        chosen,
        trials,
        found: Survey::default(),
        read_files: ReadFiles::default(),
        last: None,
    };
    let mut selector = selection.selector();
    let mut selector_before = before.map(Selection::selector);
    let mut unusable = None;
    let mut is_whole = true;
    source.visit(&mut |file, case| {
        let is_done = |selector: &Selector<'_>| selector.is_done();
        if is_done(&selector) && selector_before.as_ref().is_none_or(is_done) {
            is_whole = false;
            return ControlFlow::Break(());
        }
        surveying.read_files.add(graders, file, &case);
        let is_taken = selector.takes(&file.name, &case.id);
        let before = selector_before.as_mut();
        let was_taken = before.is_some_and(|before| before.takes(&file.name, &case.id));
        if was_taken {
            surveying.found.trials_before += surveying.trials_of(file, &case);
        }
        if !is_taken {
            surveying.pass_over(file, &case, was_taken);
            return ControlFlow::Continue(());
        }
        match surveying.select(file, &case) {
            Ok(()) => ControlFlow::Continue(()),
            Err(reason) => {
                unusable = Some((place_of(&case), reason));
                ControlFlow::Break(())
            }
        }
    })?;
    match unusable {
        Some((case, source)) => Err(SourceError::Case { case, source }),
        None => Ok(surveying.finish(is_whole)),
    }
}

/// A survey that is being made.
struct Surveying<'a> {
    selection: &'a Selection,
    graders: &'a dyn Graders,
    chosen: &'a [String],
    trials: u32,
    found: Survey,
    read_files: ReadFiles,
    last: Option<LastSelected>,
}

/// The last case that was checked.
struct LastSelected {
    file: usize,
    target: String,
    evaluators: Arc<[EvaluatorSpec]>,
}

impl LastSelected {
    /// Returns true if a case needs nothing that the last one did not need.
    fn covers(&self, file: &EvalFile, case: &EvalCase) -> bool {
        let is_plain = case.rubrics.is_empty() && case.workspace.is_none();
        is_plain
            && self.file == file.index
            && Arc::ptr_eq(&self.evaluators, &case.evaluators)
            && self.target == case.execution.target
    }
}

impl Surveying<'_> {
    /// Counts a selected case.
    fn select(&mut self, file: &EvalFile, case: &EvalCase) -> Result<(), EvaluatorError> {
        self.found.cases += 1;
        self.found.has_workspaces |= case.workspace.is_some();
        self.found.has_dependencies |= !case.depends_on.is_empty();
        self.found.trials += self.trials_of(file, case);
        // Most cases of a file share their evaluators, and so need what the last one needed.
        if self
            .last
            .as_ref()
            .is_some_and(|last| last.covers(file, case))
        {
            return Ok(());
        }
        self.graders.check(file, case)?;
        let judges = self.graders.judges(case)?;
        let needs = self.found.selected.of_file(file.index);
        needs.add(targets_of(self.chosen, case), judges);
        self.last = Some(LastSelected {
            file: file.index,
            target: case.execution.target.clone(),
            evaluators: Arc::clone(&case.evaluators),
        });
        Ok(())
    }

    /// Notes a case that is not selected. If the resumed run selected it before, it is counted. Its evaluators
    /// are not used now, so they need not be usable.
    fn pass_over(&mut self, file: &EvalFile, case: &EvalCase, was_taken: bool) {
        let selection = self.selection;
        self.found.is_elsewhere |= selection.has_in_other_shard(&file.name, &case.id);
        if was_taken {
            self.found.trials_only_before += self.trials_of(file, case);
            let judges = self.graders.judges(case).unwrap_or_default();
            let needs = self.found.only_before.of_file(file.index);
            needs.add(targets_of(self.chosen, case), judges);
        }
    }

    /// Returns the number of trials of a case, on each of its targets once.
    fn trials_of(&self, file: &EvalFile, case: &EvalCase) -> u64 {
        let targets = targets_of(self.chosen, case);
        if let ([_], None) = (targets, &self.selection.trials) {
            return u64::from(self.trials);
        }
        let targets: BTreeSet<&String> = targets.iter().collect();
        let of_target = |target: &&String| match &self.selection.trials {
            None => u64::from(self.trials),
            Some(only) => {
                let has = |trial: &u32| only.has(&file.name, &case.id, target, *trial);
                (1..=self.trials).filter(has).count() as u64
            }
        };
        targets.iter().map(of_target).sum()
    }

    fn finish(self, is_whole: bool) -> Survey {
        Survey {
            files: self.read_files.finish(is_whole),
            ..self.found
        }
    }
}

/// Returns the targets of a case: the chosen ones, or its own.
fn targets_of<'t>(chosen: &'t [String], case: &'t EvalCase) -> &'t [String] {
    match chosen {
        [] => std::slice::from_ref(&case.execution.target),
        chosen => chosen,
    }
}

/// Returns the position of a case, for messages.
fn place_of(case: &EvalCase) -> String {
    let id = &case.id;
    match &case.source {
        Some(Source { file, line }) => format!("{file}:{line}: case `{id}`"),
        None => format!("case `{id}`"),
    }
}
