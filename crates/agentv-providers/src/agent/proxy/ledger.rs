//! The account of an agent's calls.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::Allowance;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::agent::draft::Tokens;
use crate::model::Price;
use crate::wire::Reply;

/// The account of an agent's calls: what they used, and whether there may be more.
pub(crate) struct Ledger {
    account: Mutex<Account>,
    limits: Limits,
    /// Cancelled when a call was refused, after which the agent must not continue.
    refused: CancellationToken,
}

/// The limits of one trial.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    /// The most calls that offer tools.
    pub(crate) max_turns: Option<u64>,
    /// The part of the run's budget that the trial may use.
    pub(crate) allowance: Allowance,
    /// The price of all models, if the user set one.
    pub(crate) price: Option<Price>,
    /// The vendor's name in the table of prices.
    pub(crate) prices: &'static str,
}

/// A limit that an agent has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    Turns,
    Budget,
}

/// The failure of the last call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The API answered with this status.
    Status(u16),
    /// The API could not be reached.
    Unreachable,
}

#[derive(Debug, Default)]
struct Account {
    turns: u64,
    calls: u64,
    answered: u64,
    /// Calls whose tokens are not known, such as those that the agent broke off.
    uncounted: u64,
    retries: u64,
    tokens: Tokens,
    cost: f64,
    /// True if the cost of a call is not known.
    is_cost_unknown: bool,
    reached: Option<Limit>,
    trouble: Option<Trouble>,
    /// The time of the last bytes that passed.
    traffic: Option<Instant>,
}

impl Ledger {
    pub(crate) fn new(limits: Limits) -> Ledger {
        Ledger {
            account: Mutex::default(),
            limits,
            refused: CancellationToken::new(),
        }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        // No thread panics halfway through a change.
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a call. `is_turn` is true if it offers tools.
    ///
    /// # Errors
    /// If it exceeds a limit.
    pub(crate) fn admit(&self, is_turn: bool) -> Result<(), Limit> {
        let mut account = self.account();
        let is_over_turns = is_turn
            && self
                .limits
                .max_turns
                .is_some_and(|most| account.turns >= most);
        let is_over_budget = !self.limits.allowance.allows_more_than(account.cost);
        let limit = match (is_over_turns, is_over_budget) {
            (true, _) => Limit::Turns,
            (_, true) => Limit::Budget,
            _ => {
                account.calls += 1;
                account.turns += u64::from(is_turn);
                return Ok(());
            }
        };
        account.reached = Some(limit);
        self.refused.cancel();
        Err(limit)
    }

    /// Notes that bytes have passed.
    pub(crate) fn passed(&self) {
        self.account().traffic = Some(Instant::now());
    }

    /// Returns the time since bytes have passed.
    pub(crate) fn since_traffic(&self) -> Option<Duration> {
        self.account().traffic.map(|last| last.elapsed())
    }

    /// Counts a call that was answered. `asked` is the model that was asked.
    pub(crate) fn answered(&self, reply: &Reply, asked: &str) {
        let usage = &reply.usage;
        let listed = || Price::known(self.limits.prices, asked);
        let price = self.limits.price.or_else(listed);
        let cost = reply.cost.or_else(|| price?.cost(usage));
        let mut account = self.account();
        account.answered += 1;
        account.trouble = None;
        account.tokens.add(Tokens {
            input: usage.input.unwrap_or(0),
            output: usage.output.unwrap_or(0),
            cached: usage.cached,
            reasoning: usage.reasoning,
        });
        account.uncounted += u64::from(usage.input.is_none());
        match cost {
            Some(cost) => account.cost += cost,
            None => account.is_cost_unknown = true,
        }
    }

    /// Counts a call whose answer could not be read.
    pub(crate) fn unread(&self) {
        let mut account = self.account();
        account.uncounted += 1;
        account.is_cost_unknown = true;
    }

    /// Notes a call that failed. It was not a turn: the model has not answered.
    pub(crate) fn failed(&self, trouble: Trouble, is_turn: bool) {
        let mut account = self.account();
        account.trouble = Some(trouble);
        account.turns -= u64::from(is_turn);
    }

    /// Counts a repeated call.
    pub(crate) fn retried(&self) {
        self.account().retries += 1;
    }

    /// Returns true if a call has been answered.
    pub(crate) fn has_answers(&self) -> bool {
        self.account().answered > 0
    }

    /// Waits until a call is refused.
    pub(crate) async fn refused(&self) {
        self.refused.cancelled().await;
    }

    /// Returns the limit that was reached.
    pub(crate) fn reached(&self) -> Option<Limit> {
        self.account().reached
    }

    /// Returns the failure of the last call, if it failed.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        self.account().trouble
    }

    /// Returns the number of repeated calls.
    pub(crate) fn retries(&self) -> u64 {
        self.account().retries
    }

    /// Returns the tokens of all calls, if they are all known.
    pub(crate) fn tokens(&self) -> Option<Tokens> {
        let account = self.account();
        (account.answered > 0 && account.uncounted == 0).then_some(account.tokens)
    }

    /// Returns the cost of all calls, if it is known.
    pub(crate) fn cost(&self) -> Option<f64> {
        let account = self.account();
        (account.answered > 0 && !account.is_cost_unknown).then_some(account.cost)
    }

    /// Returns the account for the trace of a transcript; `None` if there were no calls.
    pub(crate) fn facts(&self) -> Option<Value> {
        let account = self.account();
        if account.calls == 0 {
            return None;
        }
        let mut facts = json!({
            "calls": account.calls,
            "turns": account.turns,
            "input": account.tokens.input,
            "output": account.tokens.output,
            "cached": account.tokens.cached.unwrap_or(0),
        });
        if !account.is_cost_unknown && account.answered > 0 {
            facts["cost_usd"] = json!(account.cost);
        }
        if account.uncounted > 0 {
            facts["uncounted_calls"] = json!(account.uncounted);
        }
        Some(facts)
    }
}
