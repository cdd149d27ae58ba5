//! Repeated values of trials, each stored once and referred to by a number.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The names that rows refer to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Names {
    /// The eval files.
    pub files: Table<String>,
    /// The targets.
    pub targets: Table<String>,
    /// The datasets.
    pub datasets: Table<String>,
    /// The evaluators, by name and type.
    pub evaluators: Table<(String, String)>,
    /// The tools that targets called.
    pub tools: Table<String>,
    /// The verdicts of the evaluators of a trial: evaluators, and indices into
    /// [`SAID`](agentv_report::SAID).
    pub(crate) verdicts: Table<Vec<(u32, u8)>>,
    /// The tools of a trial.
    pub(crate) tool_sets: Table<Vec<u32>>,
}

/// Values, each with a number.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    from = "Vec<T>",
    into = "Vec<T>",
    bound(
        serialize = "T: Clone + Eq + std::hash::Hash + Serialize",
        deserialize = "T: Clone + Eq + std::hash::Hash + Deserialize<'de>"
    )
)]
pub struct Table<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            values: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + std::hash::Hash> From<Vec<T>> for Table<T> {
    fn from(values: Vec<T>) -> Table<T> {
        let numbers = values.iter().cloned().zip(0..).collect();
        Table { values, numbers }
    }
}

impl<T> From<Table<T>> for Vec<T> {
    fn from(table: Table<T>) -> Vec<T> {
        table.values
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    /// Returns the values, in the order of their numbers.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the value with a number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }

    /// Returns the number of a value, which is added if it is new.
    pub(crate) fn number<Q>(&mut self, value: &Q) -> u32
    where
        T: std::borrow::Borrow<Q>,
        Q: ?Sized + Eq + std::hash::Hash + ToOwned<Owned = T>,
    {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.to_owned());
        self.numbers.insert(value.to_owned(), number);
        number
    }
}

impl Table<(String, String)> {
    /// Returns the number of a pair, which is added if it is new.
    pub(crate) fn number_of_pair(&mut self, first: &str, second: &str) -> u32 {
        // Most cases have the same few evaluators, so a linear search is faster than a copy for a
        // lookup.
        let near = self.values.iter().take(16).zip(0..);
        let mut same = near.filter(|(value, _)| value.0 == first && value.1 == second);
        if let Some((_, number)) = same.next() {
            return number;
        }
        self.number(&(first.to_owned(), second.to_owned()))
    }
}

/// The numbers in a whole for the numbers in one of its parts.
#[derive(Debug)]
pub(crate) struct Renumbering {
    files: Vec<u32>,
    targets: Vec<u32>,
    datasets: Vec<u32>,
    verdicts: Vec<u32>,
    tool_sets: Vec<u32>,
}

impl Names {
    /// Adds the names of a part.
    pub(crate) fn add(&mut self, part: &Names) -> Renumbering {
        let evaluators: Vec<u32> = added(&mut self.evaluators, &part.evaluators);
        let tools: Vec<u32> = added(&mut self.tools, &part.tools);
        let verdicts = part.verdicts.values.iter().map(|said| {
            let said = said
                .iter()
                .map(|(who, said)| (renumbered(&evaluators, *who), *said));
            self.verdicts.number(&said.collect::<Vec<_>>())
        });
        let verdicts = verdicts.collect();
        let tool_sets = part.tool_sets.values.iter().map(|set| {
            let mut set: Vec<u32> = set.iter().map(|tool| renumbered(&tools, *tool)).collect();
            set.sort_unstable();
            self.tool_sets.number(&set)
        });
        Renumbering {
            verdicts,
            tool_sets: tool_sets.collect(),
            files: added(&mut self.files, &part.files),
            targets: added(&mut self.targets, &part.targets),
            datasets: added(&mut self.datasets, &part.datasets),
        }
    }
}

impl Renumbering {
    /// Replaces the numbers of a row.
    pub(crate) fn apply(&self, row: &mut super::Row) {
        row.file = renumbered(&self.files, row.file);
        row.target = renumbered(&self.targets, row.target);
        row.dataset = renumbered(&self.datasets, row.dataset);
        row.verdicts = renumbered(&self.verdicts, row.verdicts);
        row.tools = renumbered(&self.tool_sets, row.tools);
    }
}

fn added<T: Clone + Eq + std::hash::Hash>(whole: &mut Table<T>, part: &Table<T>) -> Vec<u32> {
    part.values
        .iter()
        .map(|value| whole.number(value))
        .collect()
}

fn renumbered(numbers: &[u32], number: u32) -> u32 {
    numbers.get(number as usize).copied().unwrap_or(number)
}
