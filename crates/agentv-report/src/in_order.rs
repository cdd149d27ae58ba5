//! Work on several threads, with results in order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Work that is divided into items: each thread has a worker, which turns items into results.
pub trait Divided: Sync {
    /// An item of the work.
    type Item: Sync;
    /// The state of a thread.
    type Worker;
    /// The result of an item.
    type Output: Send;
    /// The reason why an item has no result.
    type Error: Send;

    /// Creates the worker of a thread.
    ///
    /// # Errors
    /// Fails if a thread cannot start its work.
    fn worker(&self) -> Result<Self::Worker, Self::Error>;

    /// Makes the result of an item.
    ///
    /// # Errors
    /// Fails if the item has no result.
    fn make(
        &self,
        worker: &mut Self::Worker,
        item: &Self::Item,
    ) -> Result<Self::Output, Self::Error>;
}

/// Makes the results on all cores, and passes them on in the order of the items.
///
/// # Errors
/// Returns the first error of a worker or of `take`, and stops there.
pub fn in_order<D: Divided>(
    work: &D,
    items: &[D::Item],
    take: &mut dyn FnMut(D::Output) -> Result<(), D::Error>,
) -> Result<(), D::Error> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(items.len());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, results) = sync_channel(threads);
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || make_results(work, items, next, &sender));
        }
        // The threads hold the only senders, so the loop ends when they do.
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (item, result) in results {
            early.insert(item, result?);
            while let Some(result) = early.remove(&due) {
                take(result)?;
                due += 1;
            }
        }
        Ok(())
    })
}

/// The number of an item, and its result.
type Made<D> = (usize, Result<<D as Divided>::Output, <D as Divided>::Error>);

/// Makes one result after another, until no item is left or the receiver is gone.
fn make_results<D: Divided>(
    work: &D,
    items: &[D::Item],
    next: &AtomicUsize,
    results: &SyncSender<Made<D>>,
) {
    let mut worker = match work.worker() {
        Ok(worker) => worker,
        Err(error) => return drop(results.send((0, Err(error)))),
    };
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(at) else {
            return;
        };
        if results.send((at, work.make(&mut worker, item))).is_err() {
            return;
        }
    }
}
