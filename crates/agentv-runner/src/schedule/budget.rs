//! The budget of a run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::{Allowance, TranscriptRecord};
use tokio::sync::Notify;

/// The budget of a run: its limit, the cost so far, and the expected cost of the calls in flight.
///
/// Before a trial, as much is set aside as the most expensive answer of its target so far. The first
/// trial of a target goes alone, so that its cost is known. A trial of several calls pays for each when
/// it ends, and needs room for the next. The limit can therefore only be exceeded by one answer that
/// costs more than any before it.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: Option<f64>,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    spent: f64,
    set_aside: f64,
    /// The number of trials that wait for their next call.
    waiting: u64,
    lanes: Vec<LaneCost>,
}

#[derive(Debug, Default, Clone)]
struct LaneCost {
    in_flight: u64,
    /// The cost of the most expensive answer so far.
    most: Option<f64>,
    /// The cost of the most expensive call that another one of its trial followed.
    most_of_call: f64,
    /// True if an answer came without a known cost.
    unknown: bool,
}

/// The cost of a target's earlier answers, in US dollars.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    /// The sum.
    pub(crate) dollars: f64,
    /// The most expensive one.
    pub(crate) most: f64,
}

impl Spent {
    pub(crate) fn add(&mut self, cost: f64) {
        self.replace(0.0, cost);
    }

    /// Adds a cost that includes an amount which was added before.
    pub(crate) fn replace(&mut self, before: f64, cost: f64) {
        self.dollars += cost - before;
        self.most = self.most.max(cost);
    }
}

/// The calls of a trial that an earlier run has made and paid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PaidCalls {
    dollars: f64,
    calls: usize,
}

impl PaidCalls {
    /// Returns the calls of a trial that was stopped between two of them.
    pub(crate) fn of(begun: &TranscriptRecord) -> PaidCalls {
        PaidCalls {
            dollars: begun.transcript.cost_usd.unwrap_or_default(),
            calls: begun.transcript.output_messages.len().max(1),
        }
    }

    /// Returns the expected cost of the rest of a trial, if the most expensive one cost `most`: at least
    /// that of one more call.
    fn rest_of(self, most: f64) -> f64 {
        (most - self.dollars).max(self.dollars / self.calls as f64)
    }
}

/// The amount that was set aside for one trial. If it is dropped before it is settled, the trial gave no
/// answer, and cost nothing beyond the calls that were paid.
#[derive(Debug)]
#[must_use]
pub(crate) struct SetAside {
    /// The budget that waits for the end of the call; `None` if it has no limit, or is settled.
    budget: Option<Arc<Budget>>,
    lane: usize,
    amount: f64,
    /// The cost of the calls so far.
    paid: f64,
    /// The amount that was set aside later, since the call turned out to cost more.
    grown: Arc<Mutex<f64>>,
    /// True if the provider was not allowed to spend more.
    is_refused: Arc<AtomicBool>,
}

impl SetAside {
    /// Returns the allowance of a provider that makes calls by itself, and knows their cost while it does.
    pub(crate) fn allowance(&self) -> Allowance {
        let Some(budget) = self.budget.clone() else {
            return Allowance::default();
        };
        let (amount, grown) = (self.amount, Arc::clone(&self.grown));
        let is_refused = Arc::clone(&self.is_refused);
        Allowance::new(move |cost| {
            let Some(limit) = budget.limit else {
                return true;
            };
            let mut grown = grown.lock().unwrap_or_else(PoisonError::into_inner);
            let mut state = budget.lock();
            let more = (cost - amount - *grown).max(0.0);
            state.set_aside += more;
            *grown += more;
            let others = state.spent + state.set_aside - amount - *grown;
            let allows = others + cost < limit;
            is_refused.fetch_or(!allows, Ordering::Relaxed);
            allows
        })
    }

    /// Returns true if the provider was not allowed to spend more.
    pub(crate) fn was_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// Pays for a call, and waits until the trial may make another one. Returns false if the budget
    /// forbids it.
    pub(crate) async fn call_again(&mut self, cost: Option<f64>) -> bool {
        let Some(budget) = self.budget.clone() else {
            return true;
        };
        let cost = cost.unwrap_or_default();
        self.paid += cost;
        self.amount -= budget.lock().pay(self.lane, self.amount, cost);
        let mut waiting = Waiting::default();
        loop {
            let changed = budget.changed.notified();
            let admission = budget.lock().another_call(
                budget.limit,
                self.lane,
                self.amount,
                waiting.is_counted(),
            );
            match admission {
                Admission::Yes(more) => {
                    self.amount += more;
                    return true;
                }
                Admission::Never => return false,
                Admission::Later => waiting.begin(&budget),
            }
            changed.await;
        }
    }

    /// Settles a trial that ended, with the cost of all its calls. Returns true for the first answer of
    /// its target without a known cost.
    pub(crate) fn settle(mut self, answered: bool, cost: Option<f64>) -> bool {
        self.end(answered, cost)
    }

    fn end(&mut self, answered: bool, cost: Option<f64>) -> bool {
        let Some(budget) = self.budget.take() else {
            return false;
        };
        let grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        let settled = Settled {
            amount: self.amount + *grown,
            paid: self.paid,
            cost,
        };
        let first_unknown = budget.lock().settle(self.lane, &settled, answered);
        budget.changed.notify_waiters();
        first_unknown
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        self.end(false, None);
    }
}

/// The end of a trial.
struct Settled {
    /// The amount that was still set aside.
    amount: f64,
    /// The part of the cost that was paid before.
    paid: f64,
    cost: Option<f64>,
}

/// A trial that waits for its next call. It counts as waiting until it is dropped.
#[derive(Default)]
struct Waiting(Option<Arc<Budget>>);

impl Waiting {
    fn is_counted(&self) -> bool {
        self.0.is_some()
    }

    fn begin(&mut self, budget: &Arc<Budget>) {
        if self.0.is_none() {
            budget.lock().waiting += 1;
            // The others may be waiting for this one.
            budget.changed.notify_waiters();
            self.0 = Some(Arc::clone(budget));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(budget) = self.0.take() {
            budget.lock().waiting -= 1;
        }
    }
}

/// The decision on a call.
enum Admission {
    /// Yes, and this amount was set aside.
    Yes(f64),
    /// Wait: the answer depends on the calls in flight.
    Later,
    Never,
}

impl Budget {
    /// Returns a budget without a limit, for a number of lanes.
    pub(crate) fn unlimited(lanes: usize) -> Budget {
        let names = std::iter::repeat_n("", lanes);
        Budget::new(None, &HashMap::new(), names)
    }

    /// Makes a budget for the targets of these names. The costs of `previous_run` count towards it.
    pub(crate) fn new<'n>(
        limit: Option<f64>,
        previous_run: &HashMap<String, Spent>,
        targets: impl IntoIterator<Item = &'n str>,
    ) -> Budget {
        let lanes = targets.into_iter().map(|name| LaneCost {
            most: previous_run.get(name).map(|spent| spent.most),
            ..LaneCost::default()
        });
        Budget {
            limit,
            state: Mutex::new(State {
                spent: previous_run.values().map(|spent| spent.dollars).sum(),
                set_aside: 0.0,
                waiting: 0,
                lanes: lanes.collect(),
            }),
            changed: Notify::new(),
        }
    }

    /// Waits until a trial is allowed; `None` if the budget forbids it. `begun` are the calls of the trial
    /// that were paid before: they are already counted.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        lane: usize,
        begun: Option<PaidCalls>,
    ) -> Option<SetAside> {
        let set_aside = |budget, amount| SetAside {
            budget,
            lane,
            amount,
            paid: begun.map_or(0.0, |begun| begun.dollars),
            grown: Arc::default(),
            is_refused: Arc::default(),
        };
        let Some(limit) = self.limit else {
            return Some(set_aside(None, 0.0));
        };
        loop {
            let changed = self.changed.notified();
            match self.lock().admission(limit, lane, begun) {
                Admission::Yes(amount) => return Some(set_aside(Some(Arc::clone(self)), amount)),
                Admission::Never => return None,
                Admission::Later => {}
            }
            changed.await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn admission(&mut self, limit: f64, lane: usize, begun: Option<PaidCalls>) -> Admission {
        let busy = self.lanes.iter().any(|lane| lane.in_flight > 0);
        let cost = &mut self.lanes[lane];
        let amount = match cost.most {
            Some(most) => begun.map_or(most, |begun| begun.rest_of(most)),
            None if cost.unknown => 0.0,
            None if cost.in_flight > 0 => return Admission::Later,
            None => 0.0,
        };
        let after = self.spent + self.set_aside + amount;
        if after > limit || self.spent >= limit {
            let may_become_less = busy && self.spent + amount <= limit;
            return if may_become_less {
                Admission::Later
            } else {
                Admission::Never
            };
        }
        cost.in_flight += 1;
        self.set_aside += amount;
        Admission::Yes(amount)
    }

    /// Pays for a call of a trial for which `amount` is set aside. Returns the part of it that is used up.
    fn pay(&mut self, lane: usize, amount: f64, cost: f64) -> f64 {
        let used = cost.min(amount);
        self.set_aside -= used;
        self.spent += cost;
        let most = &mut self.lanes[lane].most_of_call;
        *most = most.max(cost);
        used
    }

    /// Decides whether a trial for which `amount` is set aside may make another call. A yes comes with
    /// the amount that was set aside in addition.
    fn another_call(
        &mut self,
        limit: Option<f64>,
        lane: usize,
        amount: f64,
        is_waiting: bool,
    ) -> Admission {
        let Some(limit) = limit else {
            return Admission::Yes(0.0);
        };
        let needed = amount.max(self.lanes[lane].most_of_call);
        let more = needed - amount;
        if self.spent < limit && self.spent + self.set_aside + more <= limit {
            self.set_aside += more;
            return Admission::Yes(more);
        }
        let in_flight: u64 = self.lanes.iter().map(|lane| lane.in_flight).sum();
        let others_waiting = self.waiting - u64::from(is_waiting);
        let may_become_less = in_flight > others_waiting + 1 && self.spent + needed <= limit;
        if may_become_less {
            Admission::Later
        } else {
            Admission::Never
        }
    }

    fn settle(&mut self, lane: usize, settled: &Settled, answered: bool) -> bool {
        let cost = settled.cost;
        self.set_aside -= settled.amount;
        self.spent += cost.map_or(0.0, |cost| (cost - settled.paid).max(0.0));
        let lane = &mut self.lanes[lane];
        lane.in_flight -= 1;
        // A trial that was stopped between two calls cost at least what it paid.
        let paid = (settled.paid > 0.0).then_some(settled.paid);
        if let Some(cost) = cost.or(paid) {
            lane.most = Some(lane.most.unwrap_or_default().max(cost));
        }
        let first_unknown = answered && cost.is_none() && !lane.unknown;
        lane.unknown |= answered && cost.is_none();
        first_unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn budget(limit: f64) -> Arc<Budget> {
        Arc::new(Budget::new(Some(limit), &HashMap::new(), ["t"]))
    }

    async fn admitted_soon(budget: &Arc<Budget>) -> Option<SetAside> {
        let admitted = tokio::time::timeout(Duration::from_millis(10), budget.admit(0, None));
        admitted.await.ok().flatten()
    }

    #[tokio::test(start_paused = true)]
    async fn no_trial_starts_that_could_exceed_the_budget() {
        let budget = budget(1.0);
        let first = budget.admit(0, None).await.unwrap();
        assert!(admitted_soon(&budget).await.is_none(), "one goes alone");
        first.settle(true, Some(0.3));
        let two = [
            budget.admit(0, None).await.unwrap(),
            budget.admit(0, None).await.unwrap(),
        ];
        let fourth = admitted_soon(&budget).await;
        assert!(fourth.is_none(), "0.3 + 3 × 0.3 would be more than 1");
        for set_aside in two {
            set_aside.settle(true, Some(0.3));
        }
        assert!(
            budget.admit(0, None).await.is_none(),
            "0.9 + 0.3 is more than 1"
        );
    }

    #[tokio::test]
    async fn a_target_with_unknown_costs_is_reported_once_and_not_limited() {
        let budget = budget(0.01);
        let first = budget.admit(0, None).await.unwrap();
        assert!(first.settle(true, None));
        let (second, third) = (
            budget.admit(0, None).await.unwrap(),
            budget.admit(0, None).await.unwrap(),
        );
        assert!(!second.settle(true, None));
        assert!(!third.settle(false, None));
    }

    #[tokio::test(start_paused = true)]
    async fn each_call_of_a_trial_is_paid_and_needs_room_for_the_next() {
        let budget = budget(1.0);
        let mut only = budget.admit(0, None).await.unwrap();
        assert!(only.call_again(Some(0.4)).await, "0.4 + 0.4 is at most 1");
        assert!(!only.call_again(Some(0.4)).await, "0.8 + 0.4 is more");
        assert!((budget.lock().spent - 0.8).abs() < 1e-9);
        drop(only);
        assert!((budget.lock().spent - 0.8).abs() < 1e-9, "it stays paid");
        assert!(budget.lock().set_aside.abs() < 1e-9);
        assert!(
            budget.admit(0, None).await.is_none(),
            "another would cost as much"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn agents_that_work_at_the_same_time_share_what_is_left() {
        let budget = budget(1.0);
        let first = budget.admit(0, None).await.unwrap();
        first.settle(true, Some(0.1));
        // 0.1 is spent, and 0.1 is set aside for each.
        let [one, other] = [
            budget.admit(0, None).await.unwrap(),
            budget.admit(0, None).await.unwrap(),
        ];
        let (of_one, of_other) = (one.allowance(), other.allowance());
        assert!(of_one.allows_more_than(0.0) && of_one.allows_more_than(0.5));
        assert!(
            of_other.allows_more_than(0.3),
            "0.1 + 0.5 + 0.3 is less than 1"
        );
        assert!(
            !of_other.allows_more_than(0.45),
            "0.1 + 0.5 + 0.45 is more than 1"
        );
        assert!(!of_one.allows_more_than(0.5));
        other.settle(true, Some(0.45));
        one.settle(true, Some(0.5));
        assert!(budget.lock().set_aside.abs() < 1e-9);
        assert!((budget.lock().spent - 1.05).abs() < 1e-9);
    }

    #[tokio::test(start_paused = true)]
    async fn the_whole_cost_of_a_trial_counts_once() {
        let budget = budget(10.0);
        let mut first = budget.admit(0, None).await.unwrap();
        assert!(first.call_again(Some(1.0)).await);
        assert!(first.call_again(Some(1.5)).await);
        first.settle(true, Some(3.0));
        assert!((budget.lock().spent - 3.0).abs() < 1e-9);
        let second = budget.admit(0, None).await.unwrap();
        assert!((budget.lock().set_aside - 3.0).abs() < 1e-9);
        drop(second);
        assert!(budget.lock().set_aside.abs() < 1e-9);
    }

    #[tokio::test(start_paused = true)]
    async fn trials_that_wait_for_each_other_do_not_wait_for_ever() {
        let budget = budget(1.0);
        let mut known = budget.admit(0, None).await.unwrap();
        assert!(known.call_again(Some(0.2)).await);
        known.settle(true, Some(0.3));
        let mut one = budget.admit(0, None).await.unwrap();
        let mut other = budget.admit(0, None).await.unwrap();
        // 0.3 is spent and 0.6 set aside. Both answers grow beyond what was set aside.
        let both = async {
            let one = async {
                let continues = one.call_again(Some(0.3)).await;
                drop(one);
                continues
            };
            let other = async {
                let continues = other.call_again(Some(0.3)).await;
                drop(other);
                continues
            };
            tokio::join!(one, other)
        };
        let both = tokio::time::timeout(Duration::from_secs(60), both).await;
        assert_eq!(both, Ok((false, false)), "0.9 + 0.3 is more than 1");
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_ends_without_being_settled_makes_room_for_the_next() {
        let budget = budget(1.0);
        let first = budget.admit(0, None).await.unwrap();
        assert!(admitted_soon(&budget).await.is_none());
        drop(first);
        assert!(admitted_soon(&budget).await.is_some());
    }
}
