//! The trials that match a filter, in an order.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use agentv_core::{RunRecord, Status};

use super::error::IndexError;
use super::names::Table;
use super::row::Row;
use super::run_index::{RunIndex, TrialName};
use super::texts::PART;

/// Scores this close count as equal.
const TOLERANCE: f64 = 1e-9;

/// The trials to list. An empty filter lists all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// A text in the id, the question, the answer or the reasons, in any case.
    pub text: String,
    /// Any of these statuses.
    pub statuses: Vec<Status>,
    /// An evaluator with this name.
    pub evaluator: Option<String>,
    /// A verdict of an evaluator, as an index into [`SAID`](agentv_report::SAID).
    pub said: Option<u8>,
    /// The lowest score.
    pub least: Option<f64>,
    /// The highest score.
    pub most: Option<f64>,
    /// The target.
    pub target: Option<String>,
    /// The eval file.
    pub file: Option<String>,
    /// The dataset.
    pub dataset: Option<String>,
    /// A tool that the target called.
    pub tool: Option<String>,
}

/// The column that sorts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// The order of the cases in their files.
    #[default]
    File,
    /// The id of the case.
    Id,
    /// The score.
    Score,
    /// The duration.
    Ms,
    /// The cost.
    Cost,
}

/// A filter and an order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The filter.
    pub filter: Filter,
    /// The column that sorts.
    pub sort: Sort,
    /// True if the largest value comes first. Trials without a value come last.
    pub descending: bool,
}

impl RunIndex {
    /// Returns the numbers of all trials: files in the order of the run, then by case, target and trial.
    pub fn in_file_order(&self, run: Option<&RunRecord>) -> Vec<u32> {
        let files = run
            .iter()
            .flat_map(|run| &run.files)
            .map(|file| &*file.path);
        let files = ranks(&self.names.files, files);
        let chosen = run
            .iter()
            .flat_map(|run| &run.chosen_targets)
            .map(|name| &**name);
        let others = run
            .iter()
            .flat_map(|run| &run.targets)
            .map(|target| &*target.name);
        let targets = ranks(&self.names.targets, chosen.chain(others));
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_unstable_by_key(|item| {
            let row = &self.rows[*item as usize];
            let file = files[row.file as usize];
            // Records without a position come last, in the order in which their trials ended.
            match row.position {
                u32::MAX => (file, u32::MAX, 0, 0, row.at),
                position => (
                    file,
                    position,
                    targets[row.target as usize],
                    row.trial,
                    row.at,
                ),
            }
        });
        order
    }

    /// Returns the trials among `order` that match a query, in its order.
    ///
    /// # Errors
    /// Fails if texts cannot be read.
    pub fn find(&self, query: &Query, order: &[u32]) -> Result<Vec<u32>, IndexError> {
        let failed = || IndexError::of("read the index of", self.run.path());
        let matching = self.matching(&query.filter).map_err(failed())?;
        let mut found: Vec<u32> = order.to_vec();
        if let Some(matching) = matching {
            found.retain(|item| matching[*item as usize]);
        }
        let figure =
            |get: &dyn Fn(&Row) -> f64| -> Vec<f64> { self.rows.iter().map(get).collect() };
        match query.sort {
            Sort::File => {}
            Sort::Id => {
                let ranks = self.ranks_of_ids().map_err(failed())?;
                sort(&mut found, query.descending, |item| {
                    f64::from(ranks[item as usize])
                });
            }
            Sort::Score => sort_by(&mut found, query.descending, &figure(&|row| row.score)),
            Sort::Ms => sort_by(
                &mut found,
                query.descending,
                &figure(&|row| f64::from(row.ms)),
            ),
            Sort::Cost => sort_by(
                &mut found,
                query.descending,
                &figure(&|row| f64::from(row.cost)),
            ),
        }
        Ok(found)
    }

    /// Returns true for each trial that matches a filter; `None` if all do.
    fn matching(&self, filter: &Filter) -> std::io::Result<Option<Vec<bool>>> {
        if *filter == Filter::default() {
            return Ok(None);
        }
        let statuses: Vec<bool> = Status::ALL
            .iter()
            .map(|status| filter.statuses.is_empty() || filter.statuses.contains(status))
            .collect();
        let files = allowed(&self.names.files, filter.file.as_ref());
        let targets = allowed(&self.names.targets, filter.target.as_ref());
        let datasets = allowed(&self.names.datasets, filter.dataset.as_ref());
        let verdicts = self.allowed_verdicts(filter);
        let tools = self.allowed_tools(filter);
        let is_allowed = |allowed: &[bool], number: u32| {
            allowed.get(number as usize).copied().unwrap_or_default()
        };
        let matches = |row: &Row| {
            is_allowed(&statuses, u32::from(row.status))
                && is_allowed(&files, row.file)
                && is_allowed(&targets, row.target)
                && is_allowed(&datasets, row.dataset)
                && is_allowed(&verdicts, row.verdicts)
                && is_allowed(&tools, row.tools)
                && filter
                    .least
                    .is_none_or(|least| row.score >= least - TOLERANCE)
                && filter.most.is_none_or(|most| row.score <= most + TOLERANCE)
        };
        let mut matching: Vec<bool> = self.rows.iter().map(matches).collect();
        let wanted = filter.text.trim().to_lowercase();
        if !wanted.is_empty() {
            self.keep_with_text(&wanted, &mut matching)?;
        }
        Ok(Some(matching))
    }

    fn allowed_verdicts(&self, filter: &Filter) -> Vec<bool> {
        let is_named = |who: u32| {
            let name = self.names.evaluators.get(who).map(|(name, _)| name);
            filter.evaluator.is_none() || name == filter.evaluator.as_ref()
        };
        let any = filter.evaluator.is_none() && filter.said.is_none();
        let sets = self.names.verdicts.values().iter().map(|set| {
            let is_meant = |(who, said): &(u32, u8)| {
                is_named(*who) && filter.said.is_none_or(|one| one == *said)
            };
            any || set.iter().any(is_meant)
        });
        sets.collect()
    }

    fn allowed_tools(&self, filter: &Filter) -> Vec<bool> {
        let tools = self.names.tools.values().iter();
        let number = filter.tool.as_ref().map(|tool| {
            let mut numbered = tools.zip(0_u32..);
            numbered
                .find(|(name, _)| *name == tool)
                .map(|(_, number)| number)
        });
        let sets = self
            .names
            .tool_sets
            .values()
            .iter()
            .map(|set| match number {
                None => true,
                Some(None) => false,
                Some(Some(number)) => set.contains(&number),
            });
        sets.collect()
    }

    /// Keeps the trials that contain a text, which is in lower case.
    fn keep_with_text(&self, wanted: &str, matching: &mut [bool]) -> std::io::Result<()> {
        let mut words = Offsets::new(self.words.search(wanted)?);
        let mut questions = Offsets::new(self.questions.search(wanted)?);
        let asked = self
            .places
            .iter()
            .map(|place| questions.contains(place.question));
        let asked: Vec<bool> = asked.collect();
        let named = |table: &Table<String>| -> Vec<bool> {
            let names = table.values().iter();
            names
                .map(|name| name.to_lowercase().contains(wanted))
                .collect()
        };
        let (files, targets) = (named(&self.names.files), named(&self.names.targets));
        for (row, matches) in self.rows.iter().zip(matching) {
            let is_named = files[row.file as usize] || targets[row.target as usize];
            let is_asked = asked
                .get(row.transcript as usize)
                .copied()
                .unwrap_or_default();
            *matches = *matches && (is_named || is_asked || words.contains(row.words));
        }
        Ok(())
    }

    /// Returns the number of trials whose texts are longer than a search in the index covers.
    pub fn cut(&self) -> usize {
        self.rows.iter().filter(|row| row.is_cut()).count()
    }

    /// Returns the number of a trial.
    ///
    /// # Errors
    /// Fails if texts cannot be read.
    pub fn locate(&self, name: &TrialName) -> Result<Option<u32>, IndexError> {
        let mut named = self.with_id(name.id.as_bytes())?;
        let is_meant = |row: &Row| {
            row.trial == name.trial
                && self.names.files.get(row.file) == Some(&name.file)
                && self.names.targets.get(row.target) == Some(&name.target)
        };
        let mut rows = self.rows.iter().zip(0..);
        let found = rows.find(|(row, _)| is_meant(row) && named.contains(row.words));
        Ok(found.map(|(_, item)| item))
    }

    /// Returns all trials of a case with a target, whatever their numbers are.
    ///
    /// # Errors
    /// Fails if texts cannot be read.
    pub fn repeats(&self, name: &TrialName) -> Result<Vec<u32>, IndexError> {
        let mut named = self.with_id(name.id.as_bytes())?;
        let is_meant = |row: &Row| {
            self.names.files.get(row.file) == Some(&name.file)
                && self.names.targets.get(row.target) == Some(&name.target)
        };
        let rows = self.rows.iter().zip(0..);
        let found = rows.filter(|(row, _)| is_meant(row) && named.contains(row.words));
        let mut found: Vec<u32> = found.map(|(_, item)| item).collect();
        found.sort_unstable_by_key(|item| self.rows[*item as usize].trial);
        Ok(found)
    }

    /// Returns the numbers of trials, in one pass.
    ///
    /// # Errors
    /// Fails if texts cannot be read.
    pub fn locate_all(&self, names: &[TrialName]) -> Result<Vec<Option<u32>>, IndexError> {
        let ids: HashSet<&[u8]> = names.iter().map(|name| name.id.as_bytes()).collect();
        let mut ids_at: HashMap<u64, String> = HashMap::new();
        let visited = self.words.each(&mut |at, entry| {
            let id = id_in(entry);
            if ids.contains(id) {
                ids_at.insert(at, String::from_utf8_lossy(id).into_owned());
            }
        });
        visited.map_err(IndexError::of("read the index of", self.run.path()))?;
        let mut items: HashMap<(&str, &str, &str, u32), u32> = HashMap::new();
        for (row, item) in self.rows.iter().zip(0..) {
            let file = self.names.files.get(row.file);
            let target = self.names.targets.get(row.target);
            if let (Some(id), Some(file), Some(target)) = (ids_at.get(&row.words), file, target) {
                items.insert((file, id, target, row.trial), item);
            }
        }
        let item = |name: &TrialName| {
            let key = (&*name.file, &*name.id, &*name.target, name.trial);
            items.get(&key).copied()
        };
        Ok(names.iter().map(item).collect())
    }

    /// Returns the trials of the same case, in the order of targets and trials.
    ///
    /// # Errors
    /// Fails if texts cannot be read.
    pub fn siblings(&self, item: u32) -> Result<Vec<u32>, IndexError> {
        let Some(row) = self.rows.get(item as usize) else {
            return Ok(Vec::new());
        };
        let same_place = |other: &Row| other.file == row.file && other.position == row.position;
        let near = self
            .rows
            .iter()
            .zip(0..)
            .filter(|(other, _)| same_place(other));
        let mut found: Vec<u32> = match row.position {
            // Records of earlier versions have no position: their ids decide.
            u32::MAX => {
                let words = self.words.entry(row.words);
                let words = words.map_err(IndexError::of("read the index of", self.run.path()))?;
                let mut named = self.with_id(id_in(&words))?;
                near.filter(|(other, _)| named.contains(other.words))
                    .map(|(_, item)| item)
                    .collect()
            }
            _ => near.map(|(_, item)| item).collect(),
        };
        found.sort_unstable_by_key(|item| {
            let row = &self.rows[*item as usize];
            (row.target, row.trial)
        });
        Ok(found)
    }

    /// Returns the offsets of the words of all trials with an id.
    fn with_id(&self, id: &[u8]) -> Result<Offsets, IndexError> {
        let mut starts = Vec::new();
        let visited = self.words.each(&mut |at, entry| {
            if entry.starts_with(id) && id_in(entry) == id {
                starts.push(at);
            }
        });
        visited.map_err(IndexError::of("read the index of", self.run.path()))?;
        Ok(Offsets::new(starts))
    }

    /// Returns the rank of each trial's id among all ids.
    fn ranks_of_ids(&self) -> std::io::Result<Vec<u32>> {
        let mut numbers: HashMap<u64, u32> = HashMap::with_capacity(self.rows.len());
        numbers.extend(self.rows.iter().map(|row| row.words).zip(0..));
        let mut ids = Vec::new();
        let mut places: Vec<(std::ops::Range<usize>, u32)> = Vec::with_capacity(self.rows.len());
        self.words.each(&mut |at, entry| {
            if let Some(number) = numbers.get(&at) {
                let id = id_in(entry);
                places.push((ids.len()..ids.len() + id.len(), *number));
                ids.extend_from_slice(id);
            }
        })?;
        places.sort_by(|one, other| ids[one.0.clone()].cmp(&ids[other.0.clone()]));
        let mut ranks = vec![0; self.rows.len()];
        let mut rank = 0;
        for at in 0..places.len() {
            if at > 0 && ids[places[at].0.clone()] != ids[places[at - 1].0.clone()] {
                rank += 1;
            }
            ranks[places[at].1 as usize] = rank;
        }
        Ok(ranks)
    }
}

/// Returns the id at the start of the words of a trial.
fn id_in(words: &[u8]) -> &[u8] {
    words.split(|byte| *byte == PART).next().unwrap_or_default()
}

/// Returns for each name of a table if a filter allows it.
fn allowed(names: &Table<String>, wanted: Option<&String>) -> Vec<bool> {
    let names = names.values().iter();
    names
        .map(|name| wanted.is_none_or(|wanted| name == wanted))
        .collect()
}

/// Returns the rank of each name: listed ones first, then the others by name.
fn ranks<'a>(names: &Table<String>, listed: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut places = HashMap::new();
    for name in listed {
        let next = places.len();
        places.entry(name).or_insert(next);
    }
    let mut order: Vec<usize> = (0..names.values().len()).collect();
    let key = |number: &usize| {
        let name = names.values()[*number].as_str();
        (places.get(name).copied().unwrap_or(usize::MAX), name)
    };
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    let mut ranks = vec![0; order.len()];
    for (rank, number) in order.into_iter().enumerate() {
        ranks[number] = rank;
    }
    ranks
}

fn sort_by(found: &mut [u32], descending: bool, values: &[f64]) {
    sort(found, descending, |item| values[item as usize]);
}

/// Sorts trials by a value. Those without one come last, and equal ones keep their order.
fn sort(found: &mut [u32], descending: bool, value: impl Fn(u32) -> f64) {
    found.sort_by(|one, other| {
        let (one, other) = (value(*one), value(*other));
        match (one.is_nan(), other.is_nan()) {
            (false, false) if descending => other.total_cmp(&one),
            (false, false) => one.total_cmp(&other),
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
        }
    });
}

/// Sorted offsets, which are mostly asked for in ascending order.
struct Offsets {
    offsets: Vec<u64>,
    next: usize,
}

impl Offsets {
    fn new(offsets: Vec<u64>) -> Offsets {
        Offsets { offsets, next: 0 }
    }

    fn contains(&mut self, offset: u64) -> bool {
        let is_before = |at: usize| at == 0 || self.offsets[at - 1] < offset;
        let is_after = |at: usize| self.offsets.get(at).is_none_or(|found| *found >= offset);
        if !is_before(self.next) || !is_after(self.next) {
            self.next = self.offsets.partition_point(|found| *found < offset);
        }
        let found = self.offsets.get(self.next) == Some(&offset);
        self.next += usize::from(found);
        found
    }
}
