//! The budget of a run.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// The budget of a run: its limit, the cost so far, and the expected cost of the calls in flight.
///
/// Before a call, as much is set aside as the most expensive answer of its target so far. The first
/// call of a target goes alone, so that its cost is known. The limit can therefore only be exceeded
/// by one answer that costs more than any before it.
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
    lanes: Vec<LaneCost>,
}

#[derive(Debug, Default, Clone)]
struct LaneCost {
    in_flight: u64,
    /// The cost of the most expensive answer so far.
    most: Option<f64>,
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

/// The amount that was set aside for one call.
#[derive(Debug)]
pub(crate) struct SetAside {
    lane: usize,
    amount: f64,
}

/// The decision on a call.
enum Admission {
    Yes(SetAside),
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

    /// Makes a budget for the targets of these names. `earlier` was spent before the run was
    /// resumed.
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
                lanes: lanes.collect(),
            }),
            changed: Notify::new(),
        }
    }

    /// Waits until a call is allowed; `None` if the budget forbids it.
    pub(crate) async fn admit(&self, lane: usize) -> Option<SetAside> {
        let Some(limit) = self.limit else {
            return Some(SetAside { lane, amount: 0.0 });
        };
        loop {
            let changed = self.changed.notified();
            match self.lock().admission(limit, lane) {
                Admission::Yes(set_aside) => return Some(set_aside),
                Admission::Never => return None,
                Admission::Later => {}
            }
            changed.await;
        }
    }

    /// Settles a call that ended. Returns true for the first answer of its target without a known
    /// cost.
    pub(crate) fn settle(&self, set_aside: &SetAside, answered: bool, cost: Option<f64>) -> bool {
        if self.limit.is_none() {
            return false;
        }
        let first_unknown = self.lock().settle(set_aside, answered, cost);
        self.changed.notify_waiters();
        first_unknown
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
        Admission::Yes(SetAside { lane, amount })
    }

    fn settle(&mut self, set_aside: &SetAside, answered: bool, cost: Option<f64>) -> bool {
        self.set_aside -= set_aside.amount;
        self.spent += cost.unwrap_or_default();
        let lane = &mut self.lanes[set_aside.lane];
        lane.in_flight -= 1;
        if let Some(cost) = cost {
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

    #[tokio::test]
    async fn no_trial_starts_that_could_exceed_the_budget() {
        let budget = Budget::new(Some(1.0), &HashMap::new(), ["t"]);
        let first = budget.admit(0).await.unwrap();
        let second = tokio::time::timeout(Duration::from_millis(10), budget.admit(0));
        assert!(second.await.is_err(), "the first goes alone");
        budget.settle(&first, true, Some(0.3));
        let two = [
            budget.admit(0).await.unwrap(),
            budget.admit(0).await.unwrap(),
        ];
        let fourth = tokio::time::timeout(Duration::from_millis(10), budget.admit(0));
        assert!(fourth.await.is_err(), "0.3 + 3 × 0.3 would be more than 1");
        for set_aside in two {
            budget.settle(&set_aside, true, Some(0.3));
        }
        assert!(budget.admit(0).await.is_none(), "0.9 + 0.3 is more than 1");
    }

    #[tokio::test]
    async fn a_target_with_unknown_costs_is_reported_once_and_not_limited() {
        let budget = Budget::new(Some(0.01), &HashMap::new(), ["t"]);
        let first = budget.admit(0).await.unwrap();
        assert!(budget.settle(&first, true, None));
        let (second, third) = (
            budget.admit(0).await.unwrap(),
            budget.admit(0).await.unwrap(),
        );
        assert!(!budget.settle(&second, true, None));
        assert!(!budget.settle(&third, false, None));
    }
}
