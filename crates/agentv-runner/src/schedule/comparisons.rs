//! Answers that are compared with each other: they are graded when all of them exist.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use agentv_core::{EvalCase, Rival, Trial, Work};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::consumer::Consumer;
use crate::schedule::dispatch::work_on;
use crate::trial::execute::Executor;
use crate::trial::grade::Graders;

/// The trials that have an answer and wait for those that it is compared with.
#[derive(Debug, Default)]
pub(crate) struct Comparisons(Mutex<Vec<Trial>>);

/// Returns the ids of the other cases whose answers are compared with those to a case; `None` if none are compared,
/// not even those of other targets.
pub(crate) fn compared_cases(graders: &dyn Graders, case: &EvalCase) -> Option<BTreeSet<String>> {
    let specs = case.evaluators.iter().filter(|spec| !graders.skips(spec));
    let compared = specs.filter_map(|spec| graders.compares(spec));
    compared
        .reduce(|mut all, more| {
            all.extend(more);
            all
        })
        .map(|ids| ids.into_iter().collect())
}

impl Comparisons {
    /// Keeps a trial with its answer until all answers exist.
    pub(crate) fn keep(&self, trial: Trial) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(trial);
    }

    /// Takes out all trials, each with the answers that its own is compared with: of the same file and the same
    /// number, to the same case or to those that its evaluators name.
    pub(crate) fn take(&self, graders: &dyn Graders) -> Vec<Trial> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut trials = std::mem::take(&mut *kept);
        drop(kept);
        let place = |trial: &Trial, id: &str| (trial.file.index, id.to_owned(), trial.number);
        let mut answers: HashMap<(usize, String, u32), Vec<Rival>> = HashMap::new();
        for trial in &trials {
            let Work::Grade { answer, .. } = &trial.work else {
                continue;
            };
            let place = place(trial, &trial.case.id);
            answers.entry(place).or_default().push(Rival {
                eval_id: trial.case.id.clone(),
                target: Arc::clone(&trial.target),
                answer: answer.transcript.answer(),
            });
        }
        let rivals: Vec<Arc<[Rival]>> = trials
            .iter()
            .map(|trial| {
                let mut ids = compared_cases(graders, &trial.case).unwrap_or_default();
                ids.insert(trial.case.id.clone());
                let of_id = |id: &String| answers.get(&place(trial, id)).into_iter().flatten();
                let is_other =
                    |rival: &&Rival| rival.eval_id != trial.case.id || rival.target != trial.target;
                let others = ids.iter().flat_map(of_id).filter(is_other);
                let mut others: Vec<Rival> = others.cloned().collect();
                // They came in any order.
                others.sort_by(|one, other| {
                    (&one.eval_id, &one.target).cmp(&(&other.eval_id, &other.target))
                });
                others.into()
            })
            .collect();
        for (trial, rivals) in trials.iter_mut().zip(rivals) {
            trial.rivals = rivals;
        }
        trials
    }
}

/// Grades the answers that are compared with each other, once all exist.
pub(crate) async fn compare(executor: &Arc<Executor>, consumer: &Arc<Consumer>, at_once: usize) {
    let trials = consumer.comparisons.take(executor.graders.as_ref());
    let slots = Arc::new(Semaphore::new(at_once.clamp(1, Semaphore::MAX_PERMITS)));
    let in_flight = TaskTracker::new();
    for mut trial in trials {
        trial.is_compared = true;
        let slot = tokio::select! {
            biased;
            // These answers are paid for: only a user who waits for the end stops their grading.
            () = executor.stop.leaving() => None,
            slot = Arc::clone(&slots).acquire_owned() => slot.ok(),
        };
        let Some(slot) = slot else {
            consumer.abandon(&trial);
            continue;
        };
        let (executor, consumer) = (Arc::clone(executor), Arc::clone(consumer));
        in_flight.spawn(async move {
            work_on(&executor, &consumer, &trial, None, Instant::now(), None).await;
            drop(slot);
        });
    }
    in_flight.close();
    in_flight.wait().await;
}
