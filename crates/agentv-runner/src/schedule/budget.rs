//! The budget of a run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

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
        self.dollars += cost;
        self.most = self.most.max(cost);
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
}

impl SetAside {
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
        let settled = Settled {
            amount: self.amount,
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
    /// Returns the most that a call of a lane may cost: the limit without what was spent, and without what
    /// was set aside for other calls. `None` without a limit.
    pub(crate) fn left_for(&self, lane: usize) -> Option<f64> {
        let limit = self.limit?;
        let state = self.lock();
        let own = state.lanes.get(lane).and_then(|lane| lane.most);
        let others = (state.set_aside - own.unwrap_or_default()).max(0.0);
        Some((limit - state.spent - others).max(0.0))
    }

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

    /// Waits until a call is allowed; `None` if the budget forbids it.
    pub(crate) async fn admit(self: &Arc<Self>, lane: usize) -> Option<SetAside> {
        let set_aside = |budget, amount| SetAside {
            budget,
            lane,
            amount,
            paid: 0.0,
        };
        let Some(limit) = self.limit else {
            return Some(set_aside(None, 0.0));
        };
        loop {
            let changed = self.changed.notified();
            match self.lock().admission(limit, lane) {
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
    fn admission(&mut self, limit: f64, lane: usize) -> Admission {
        let busy = self.lanes.iter().any(|lane| lane.in_flight > 0);
        let cost = &mut self.lanes[lane];
        let amount = match cost.most {
            Some(most) => most,
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
        let admitted = tokio::time::timeout(Duration::from_millis(10), budget.admit(0));
        admitted.await.ok().flatten()
    }

    #[tokio::test(start_paused = true)]
    async fn no_trial_starts_that_could_exceed_the_budget() {
        let budget = budget(1.0);
        let first = budget.admit(0).await.unwrap();
        assert!(admitted_soon(&budget).await.is_none(), "one goes alone");
        first.settle(true, Some(0.3));
        let two = [
            budget.admit(0).await.unwrap(),
            budget.admit(0).await.unwrap(),
        ];
        let fourth = admitted_soon(&budget).await;
        assert!(fourth.is_none(), "0.3 + 3 × 0.3 would be more than 1");
        for set_aside in two {
            set_aside.settle(true, Some(0.3));
        }
        assert!(budget.admit(0).await.is_none(), "0.9 + 0.3 is more than 1");
    }

    #[tokio::test]
    async fn a_target_with_unknown_costs_is_reported_once_and_not_limited() {
        let budget = budget(0.01);
        let first = budget.admit(0).await.unwrap();
        assert!(first.settle(true, None));
        let (second, third) = (
            budget.admit(0).await.unwrap(),
            budget.admit(0).await.unwrap(),
        );
        assert!(!second.settle(true, None));
        assert!(!third.settle(false, None));
    }

    #[tokio::test(start_paused = true)]
    async fn each_call_of_a_trial_is_paid_and_needs_room_for_the_next() {
        let budget = budget(1.0);
        let mut only = budget.admit(0).await.unwrap();
        assert!(only.call_again(Some(0.4)).await, "0.4 + 0.4 is at most 1");
        assert!(!only.call_again(Some(0.4)).await, "0.8 + 0.4 is more");
        assert!((budget.lock().spent - 0.8).abs() < 1e-9);
        drop(only);
        assert!((budget.lock().spent - 0.8).abs() < 1e-9, "it stays paid");
        assert!(budget.lock().set_aside.abs() < 1e-9);
        assert!(
            budget.admit(0).await.is_none(),
            "another would cost as much"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_whole_cost_of_a_trial_counts_once() {
        let budget = budget(10.0);
        let mut first = budget.admit(0).await.unwrap();
        assert!(first.call_again(Some(1.0)).await);
        assert!(first.call_again(Some(1.5)).await);
        first.settle(true, Some(3.0));
        assert!((budget.lock().spent - 3.0).abs() < 1e-9);
        let second = budget.admit(0).await.unwrap();
        assert!((budget.lock().set_aside - 3.0).abs() < 1e-9);
        drop(second);
        assert!(budget.lock().set_aside.abs() < 1e-9);
    }

    #[tokio::test(start_paused = true)]
    async fn trials_that_wait_for_each_other_do_not_wait_for_ever() {
        let budget = budget(1.0);
        let mut known = budget.admit(0).await.unwrap();
        assert!(known.call_again(Some(0.2)).await);
        known.settle(true, Some(0.3));
        let mut one = budget.admit(0).await.unwrap();
        let mut other = budget.admit(0).await.unwrap();
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
        let first = budget.admit(0).await.unwrap();
        assert!(admitted_soon(&budget).await.is_none());
        drop(first);
        assert!(admitted_soon(&budget).await.is_some());
    }
}
