//! A run whose trials are shown.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use agentv_core::RunRecord;
use agentv_journal::RunFolder;
use agentv_report::{RunFacts, RunResults};

use crate::index::{Query, RunIndex};
use crate::labels::{Answer, KnownAnswers, LabelFile, Labelled, NoLabel, answer_of};
use crate::runs::refuse_links;
use crate::stored_facts::{keep, load};
use crate::view_error::ViewError;

/// The number of answers to queries that are kept.
const KEPT_ANSWERS: usize = 4;
/// The number of trials from which the figures of a run are kept on disk.
const WORTH_KEEPING: usize = 20_000;
/// The shortest time between two computations of the figures of a run that is being written.
const PAUSE: Duration = Duration::from_secs(1);

/// A run with its index, which follows the run while it is written.
#[derive(Debug)]
pub struct OpenRun {
    folder: RunFolder,
    kept: Option<PathBuf>,
    state: RwLock<State>,
    facts: Mutex<Option<Computed>>,
    answers: Mutex<KnownAnswers>,
}

/// The index of a run, and everything that was derived from it.
#[derive(Debug)]
pub struct State {
    /// The index.
    pub index: RunIndex,
    order: Arc<Vec<u32>>,
    answers: Mutex<Vec<(Query, Arc<Vec<u32>>)>>,
}

/// The figures of a run as JSON, and the version of the index at which they were computed.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The figures.
    pub json: Arc<serde_json::Value>,
    /// The version of the index.
    pub version: u64,
}

#[derive(Debug)]
struct Computed {
    facts: Facts,
    at: Instant,
    took: Duration,
}

impl OpenRun {
    /// Opens a run; its index is kept in the folder `kept`.
    ///
    /// # Errors
    /// Fails if its files cannot be read.
    pub(crate) fn open(folder: RunFolder, kept: Option<PathBuf>) -> Result<OpenRun, ViewError> {
        refuse_links(&folder)?;
        let index = RunIndex::open(&folder, kept.as_deref())?;
        let state = RwLock::new(State::of(index));
        Ok(OpenRun {
            folder,
            kept,
            state,
            facts: Mutex::default(),
            answers: Mutex::default(),
        })
    }

    /// Returns its folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the number of trials.
    pub fn len(&self) -> usize {
        self.state().index.len()
    }

    /// Checks if there are no trials.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the index and what was derived from it.
    pub fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what was added to the run, and returns the version of the index.
    ///
    /// # Errors
    /// Fails if its files cannot be read.
    pub fn refresh(&self) -> Result<u64, ViewError> {
        refuse_links(&self.folder)?;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let before = state.index.version();
        if !state.index.update()? {
            let index = RunIndex::build(&self.folder, self.kept.as_deref())?;
            *state = State::of(index.since(before));
        } else if state.index.version() != before {
            state.order = order_of(&state.index);
            state.answers = Mutex::default();
        }
        Ok(state.index.version())
    }

    /// Returns the labels of the run's trials.
    ///
    /// # Errors
    /// Fails if the labels or the records of their trials cannot be read.
    pub fn labelled(&self, file: Option<&LabelFile>) -> Result<Labelled, ViewError> {
        let labels = file.map(LabelFile::read).transpose()?;
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.labelled(&self.state().index, labels.unwrap_or_default())
    }

    /// Returns the answer of a trial, or the reason why it cannot be labelled.
    ///
    /// # Errors
    /// Fails if its records cannot be read.
    pub fn answer(&self, item: u32) -> Result<Result<Answer, NoLabel>, ViewError> {
        Ok(answer_of(&self.state().index, item)?.0)
    }

    /// Returns the figures of the run. While it is written, they may be a little out of date.
    ///
    /// # Errors
    /// Fails if its files cannot be read.
    pub fn facts(&self) -> Result<Facts, ViewError> {
        let version = self.refresh()?;
        let mut known = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_running = self.folder.is_being_written();
        let is_current = |computed: &&Computed| {
            let is_fresh = computed.at.elapsed() < PAUSE.max(5 * computed.took);
            computed.facts.version == version || (is_running && is_fresh)
        };
        if let Some(computed) = known.as_ref().filter(is_current) {
            return Ok(computed.facts.clone());
        }
        let at = Instant::now();
        let kept = self.kept.as_deref().filter(|_| !is_running);
        let stored = kept.and_then(|kept| load(kept, &self.folder, &self.state().index));
        let json = match stored {
            Some(json) => json,
            None => self.computed_facts(kept)?,
        };
        let facts = Facts {
            json: Arc::new(json),
            version,
        };
        *known = Some(Computed {
            facts: facts.clone(),
            at,
            took: at.elapsed(),
        });
        Ok(facts)
    }
}

impl OpenRun {
    /// Computes the figures from all results, and keeps them if that takes a while.
    fn computed_facts(&self, kept: Option<&Path>) -> Result<serde_json::Value, ViewError> {
        let results = RunResults::of_folder(&self.folder);
        let results = results.unwrap_or_else(|_| RunResults::without_run(&self.folder));
        let facts = serde_json::to_value(RunFacts::read(&results)?).unwrap_or_default();
        let state = self.state();
        if let Some(kept) = kept.filter(|_| state.index.len() >= WORTH_KEEPING)
            && let Err(error) = keep(kept, &self.folder, &state.index, &facts)
        {
            tracing::debug!("the figures of {} are not kept: {error}", self.folder.id());
        }
        Ok(facts)
    }
}

impl State {
    fn of(index: RunIndex) -> State {
        State {
            order: order_of(&index),
            index,
            answers: Mutex::default(),
        }
    }

    /// Returns the trials that match a query.
    ///
    /// # Errors
    /// Fails if texts of the index cannot be read.
    pub fn find(&self, query: &Query) -> Result<Arc<Vec<u32>>, ViewError> {
        if *query == Query::default() {
            return Ok(Arc::clone(&self.order));
        }
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = answers.iter().find(|(known, _)| known == query) {
            return Ok(Arc::clone(found));
        }
        let found = Arc::new(self.index.find(query, &self.order)?);
        if answers.len() == KEPT_ANSWERS {
            answers.remove(0);
        }
        answers.push((query.clone(), Arc::clone(&found)));
        Ok(found)
    }
}

/// Returns the trials in the order of their cases in the eval files.
fn order_of(index: &RunIndex) -> Arc<Vec<u32>> {
    let run = index.run().run::<RunRecord>().ok().flatten();
    Arc::new(index.in_file_order(run.as_ref()))
}
