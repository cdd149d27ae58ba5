//! The costs of some trials: of the answers and of the judges, which are separate figures.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentv_core::ResultRecord;
use serde::{Deserialize, Serialize};

use super::amount::Amount;
use crate::figures::money;
use crate::text::one_line;

/// The costs of some trials in US dollars. The cost of the judges is never part of that of a target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Costs {
    /// The cost of the answers, as far as it is known. Answers from the cache cost nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The targets whose answers cost an unknown amount, by name: their price or their tokens are unknown.
    /// `cost_usd` lacks their cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<Arc<str>>,
    /// The cost of the judges, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_cost_usd: Option<f64>,
    /// The judges that cost an unknown amount, by name. `judge_cost_usd` lacks their cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced_judges: Vec<Arc<str>>,
    /// Those of `unpriced` and `unpriced_judges` that did not report their tokens, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_usage: Vec<Arc<str>>,
    /// The cost of answers and grades that later ones of the same trials replaced, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_cost_usd: Option<f64>,
    /// The cost of answers that another run got, and this one grades. It is not part of the other costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded_cost_usd: Option<f64>,
}

impl Costs {
    /// Returns the cost of the answers in words, marked if a part of it is unknown; `None` if nothing is
    /// known about it.
    pub(crate) fn of_answers(&self) -> Option<String> {
        marked(self.cost_usd, !self.unpriced.is_empty())
    }

    /// Returns the cost of the judges in words, marked if a part of it is unknown.
    pub(crate) fn of_judges(&self) -> Option<String> {
        marked(self.judge_cost_usd, !self.unpriced_judges.is_empty())
    }

    /// Returns the cost of replaced answers and grades in words.
    fn of_replaced(&self) -> Option<String> {
        let replaced = self.replaced_cost_usd.map(money);
        replaced.map(|cost| format!("replaced {cost}"))
    }

    /// Returns all costs in words, as far as something is known about them.
    pub(crate) fn in_words(&self) -> Vec<String> {
        let judges = self.of_judges().map(|cost| format!("judges {cost}"));
        let parts = [
            self.of_answers(),
            judges,
            self.of_replaced(),
            self.of_graded(),
        ];
        parts.into_iter().flatten().collect()
    }

    /// Returns all costs and, if several are known, their sum in words. Everyone whose cost is unknown is
    /// named.
    pub(crate) fn in_full(&self) -> Vec<String> {
        let answers = self.with_names(self.of_answers(), &self.unpriced);
        let judges = self.with_names(self.of_judges(), &self.unpriced_judges);
        let parts = [
            answers,
            judges.map(|cost| format!("judges {cost}")),
            self.of_replaced(),
            self.total().map(|cost| format!("total {cost}")),
            self.of_graded(),
        ];
        parts.into_iter().flatten().collect()
    }

    /// Returns the cost of answers of another run in words.
    fn of_graded(&self) -> Option<String> {
        let graded = self.graded_cost_usd.map(money);
        graded.map(|cost| format!("answers of the graded run {cost}"))
    }

    /// Returns the sum of the costs in words, if several are known.
    fn total(&self) -> Option<String> {
        let parts = [self.cost_usd, self.judge_cost_usd, self.replaced_cost_usd];
        let known: Vec<f64> = parts.into_iter().flatten().collect();
        let is_partial = !self.unpriced.is_empty() || !self.unpriced_judges.is_empty();
        let sum = (known.len() > 1).then(|| known.iter().sum());
        sum.and_then(|sum| marked(Some(sum), is_partial))
    }

    /// Adds the names of those whose cost is unknown to a cost in words.
    fn with_names(&self, cost: Option<String>, names: &[Arc<str>]) -> Option<String> {
        let named = |name: &Arc<str>| {
            if self.without_usage.contains(name) {
                format!("{} (reported no tokens)", one_line(name))
            } else {
                one_line(name)
            }
        };
        let names: Vec<String> = names.iter().map(named).collect();
        if names.is_empty() {
            cost
        } else {
            cost.map(|cost| format!("{cost}: {}", names.join(", ")))
        }
    }
}

fn marked(known: Option<f64>, is_partial: bool) -> Option<String> {
    match (known.map(money), is_partial) {
        (known, false) => known,
        (Some(known), true) => Some(format!("{known} + unpriced")),
        (None, true) => Some("unpriced".to_owned()),
    }
}

/// A fold of records into [`Costs`].
#[derive(Debug, Clone, Default)]
pub(crate) struct CostFold {
    answers: Option<Amount>,
    unpriced: BTreeSet<Arc<str>>,
    judges: Option<Amount>,
    unpriced_judges: BTreeSet<Arc<str>>,
    without_usage: BTreeSet<Arc<str>>,
    replaced: Option<Amount>,
    graded: Option<Amount>,
}

impl CostFold {
    pub(crate) fn add(&mut self, record: &ResultRecord) {
        self.add_answer(
            record.answer_cost_usd(),
            record.is_unpriced(),
            &record.target,
        );
        let unpriced = record.unpriced_judges();
        self.add_judges(record.judge_cost_usd(), unpriced);
        add(&mut self.replaced, record.replaced_cost_usd);
        add(&mut self.graded, record.graded_cost_usd());
        for name in record.without_usage() {
            insert(&mut self.without_usage, name);
        }
    }

    /// Adds the cost of an answer of a target.
    pub(crate) fn add_answer(&mut self, cost: Option<f64>, is_unpriced: bool, target: &Arc<str>) {
        add(&mut self.answers, cost);
        if is_unpriced && !self.unpriced.contains(target) {
            self.unpriced.insert(Arc::clone(target));
        }
    }

    /// Adds the cost of the judges of an answer.
    pub(crate) fn add_judges<'n>(
        &mut self,
        cost: Option<f64>,
        unpriced: impl Iterator<Item = &'n str>,
    ) {
        add(&mut self.judges, cost);
        for judge in unpriced {
            insert(&mut self.unpriced_judges, judge);
        }
    }

    pub(crate) fn finish(&self) -> Costs {
        Costs {
            cost_usd: self.answers.map(Amount::dollars),
            unpriced: self.unpriced.iter().cloned().collect(),
            judge_cost_usd: self.judges.map(Amount::dollars),
            unpriced_judges: self.unpriced_judges.iter().cloned().collect(),
            without_usage: self.without_usage.iter().cloned().collect(),
            replaced_cost_usd: self.replaced.map(Amount::dollars),
            graded_cost_usd: self.graded.map(Amount::dollars),
        }
    }
}

fn insert(names: &mut BTreeSet<Arc<str>>, name: &str) {
    if !names.contains(name) {
        names.insert(Arc::from(name));
    }
}

fn add(sum: &mut Option<Amount>, cost: Option<f64>) {
    if let Some(amount) = cost.and_then(Amount::of) {
        sum.get_or_insert_default().add(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(
        cost: Option<f64>,
        unpriced: &[&str],
        judges: Option<f64>,
        of_judges: &[&str],
    ) -> Costs {
        let names = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        Costs {
            cost_usd: cost,
            unpriced: names(unpriced),
            judge_cost_usd: judges,
            unpriced_judges: names(of_judges),
            ..Costs::default()
        }
    }

    #[test]
    fn a_target_without_a_price_does_not_have_the_cost_of_its_judge() {
        let found = costs(None, &["a"], Some(0.0001), &[]);
        assert_eq!(found.in_words().join(", "), "unpriced, judges $0.0001");
        assert_eq!(found.in_full().join(", "), "unpriced: a, judges $0.0001");
    }

    #[test]
    fn a_sum_with_an_unknown_part_is_marked() {
        let found = costs(Some(0.12), &["b"], Some(0.01), &["j", "k"]);
        assert_eq!(
            found.in_words().join(", "),
            "$0.1200 + unpriced, judges $0.0100 + unpriced"
        );
        assert_eq!(
            found.in_full().join(" · "),
            "$0.1200 + unpriced: b · judges $0.0100 + unpriced: j, k · total $0.1300 + unpriced"
        );
        let known = costs(Some(0.12), &[], Some(0.01), &[]);
        assert_eq!(
            known.in_full().join(" · "),
            "$0.1200 · judges $0.0100 · total $0.1300"
        );
        assert_eq!(costs(None, &[], None, &[]).in_full(), Vec::<String>::new());
        assert_eq!(costs(Some(0.0), &[], None, &[]).in_full(), ["$0.00"]);
    }

    #[test]
    fn the_cost_of_replaced_answers_is_part_of_the_total() {
        let found = Costs {
            replaced_cost_usd: Some(0.44),
            ..costs(Some(0.22), &[], Some(0.44), &[])
        };
        assert_eq!(
            found.in_full().join(" · "),
            "$0.2200 · judges $0.4400 · replaced $0.4400 · total $1.10"
        );
    }

    #[test]
    fn a_target_that_reports_no_tokens_is_named_with_the_reason() {
        let found = Costs {
            without_usage: vec![Arc::from("n")],
            ..costs(Some(0.33), &["n", "u"], None, &[])
        };
        assert_eq!(
            found.in_full().join(" · "),
            "$0.3300 + unpriced: n (reported no tokens), u"
        );
    }
}
