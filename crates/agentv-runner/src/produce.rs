//! From cases to trials: what each still needs.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{EvalCase, ResultRecord, RunEvent};
use agentv_journal::FileError;
use tokio::sync::mpsc::Sender;

use crate::earlier::Earlier;
use crate::eval_file::{CaseSource, EvalFile};
use crate::keys::Keys;
use crate::lane::Lane;
use crate::run::Assignment;
use crate::selection::Selection;
use crate::state::{RunError, RunState};
use crate::trial::{Job, Work};

/// What the trials of one lane are made from.
pub(crate) struct Producer {
    pub(crate) run: Arc<RunState>,
    pub(crate) source: Arc<dyn CaseSource>,
    pub(crate) selection: Arc<Selection>,
    pub(crate) assignment: Arc<Assignment>,
    pub(crate) earlier: Arc<Earlier>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) trials: u32,
}

impl Producer {
    /// Streams the cases of the lane, and sends what is to be done for them, in order. Waits while
    /// nobody takes it. Trials that are done are only told.
    pub(crate) fn produce(&self, jobs: &Sender<Job>) {
        let mut keys = Keys::of(&self.lane.target);
        let mut selector = self.selection.selector();
        let mut failed = None;
        let visited = self.source.visit(&mut |file, case| {
            if self.run.stop.is_stopped() || selector.is_done() {
                return ControlFlow::Break(());
            }
            if !selector.takes(&file.name, &case.id)
                || !self.assignment.assigns(file, &case, self.lane.index)
            {
                return ControlFlow::Continue(());
            }
            match self.case(file, case, &mut keys, jobs) {
                Ok(flow) => flow,
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Err(error) = visited {
            self.run.fail(RunError::Source(error));
        }
        if let Some(error) = failed {
            self.run.fail(RunError::Read(error));
        }
    }

    /// Sends the trials of one case; breaks when nobody takes them any more.
    fn case(
        &self,
        file: &Arc<EvalFile>,
        case: EvalCase,
        keys: &mut Keys,
        jobs: &Sender<Job>,
    ) -> Result<ControlFlow<()>, FileError> {
        let files = self.run.graders.files(file, &case);
        let keys = keys.of_case(file, &case, &files);
        let case = Arc::new(case);
        for trial in 1..=self.trials {
            let chosen = self.selection.trials.as_ref();
            if chosen
                .is_some_and(|chosen| !chosen.has(&file.name, &case.id, &self.lane.name, trial))
            {
                continue;
            }
            let (answer_key, grade_key) = keys.of_trial(trial);
            if let Some(record) = self.earlier.result(&grade_key)? {
                self.reuse(&record);
                continue;
            }
            let transcript = self.earlier.transcript(&answer_key)?;
            let job = Job {
                file: Arc::clone(file),
                case: Arc::clone(&case),
                lane: Arc::clone(&self.lane),
                trial,
                answer_key,
                grade_key,
                work: transcript.map_or(Work::Ask, |record| Work::Grade(Box::new(record))),
            };
            if jobs.blocking_send(job).is_err() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn reuse(&self, record: &ResultRecord) {
        self.run.tell(&RunEvent::Finished {
            record,
            reused: true,
        });
    }
}
