//! The order of results in reports: that of the cases in their eval files.

use std::borrow::Cow;
use std::collections::HashMap;

use agentv_core::{ResultRecord, RunRecord};
use agentv_journal::{FileError, Latest};
use serde::Deserialize;

/// The part of a result that gives its place in a report.
#[derive(Deserialize)]
struct PositionFields<'a> {
    #[serde(borrow)]
    eval_file: Cow<'a, str>,
    position: Option<u64>,
    #[serde(borrow)]
    target: Cow<'a, str>,
    trial: u32,
}

/// The position of a result in a report. Compared field by field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ReportPosition {
    file: u32,
    /// Records without a position come last, in the order in which their trials ended.
    case: u64,
    target: u32,
    trial: u32,
    offset: u64,
}

impl ReportPosition {
    /// Returns the position of a record that has no position in a file: only its offset counts.
    fn last(offset: u64) -> ReportPosition {
        ReportPosition {
            file: u32::MAX,
            case: u64::MAX,
            target: u32::MAX,
            trial: u32::MAX,
            offset,
        }
    }
}

/// Returns the offsets of the records that count: files in the order of the run, then by case, target
/// and trial.
///
/// # Errors
/// Fails if the file cannot be read.
pub(crate) fn in_file_order(
    run: Option<&RunRecord>,
    latest: &mut Latest,
) -> Result<Vec<u64>, FileError> {
    let mut order = ReportOrder::of(run);
    let mut positions = Vec::with_capacity(latest.len());
    for offset in latest.offsets() {
        positions.push(order.position(latest.text_at(offset)?, offset));
    }
    Ok(order.sorted(positions))
}

/// The offsets of records that are put in order while they are read.
pub(crate) struct FileOrder {
    order: ReportOrder,
    positions: Vec<ReportPosition>,
}

impl FileOrder {
    /// Starts with the order in which a run lists its files and targets.
    pub(crate) fn of(run: Option<&RunRecord>) -> FileOrder {
        FileOrder {
            order: ReportOrder::of(run),
            positions: Vec::new(),
        }
    }

    /// Adds a record that counts.
    pub(crate) fn add(&mut self, record: &ResultRecord, offset: u64) {
        let fields = PositionFields {
            eval_file: Cow::Borrowed(&record.eval_file),
            position: record.position,
            target: Cow::Borrowed(&record.target),
            trial: record.trial,
        };
        let position = self.order.position_of(&fields, offset);
        self.positions.push(position);
    }

    /// Returns the offsets: files in the order of the run, then by case, target and trial.
    pub(crate) fn finish(self) -> Vec<u64> {
        self.order.sorted(self.positions)
    }
}

/// The order of files and targets in a report.
struct ReportOrder {
    files: Names,
    targets: Names,
}

impl ReportOrder {
    /// Starts with the order in which a run lists its files and targets.
    fn of(run: Option<&RunRecord>) -> ReportOrder {
        let files = run.iter().flat_map(|run| &run.files);
        let chosen = run.iter().flat_map(|run| &run.chosen_targets);
        let others = run.iter().flat_map(|run| &run.targets);
        let others = others.map(|target| &*target.name);
        ReportOrder {
            files: Names::of(files.map(|file| &*file.path)),
            targets: Names::of(chosen.map(|name| &**name).chain(others)),
        }
    }

    /// Returns the position of a record, with its file and its target by index.
    fn position(&mut self, record: &str, offset: u64) -> ReportPosition {
        match serde_json::from_str(record) {
            Ok(fields) => self.position_of(&fields, offset),
            // A line that is not a record: its reader reports it.
            Err(_) => ReportPosition::last(offset),
        }
    }

    fn position_of(&mut self, fields: &PositionFields<'_>, offset: u64) -> ReportPosition {
        let file = self.files.index(&fields.eval_file);
        match fields.position {
            Some(case) => ReportPosition {
                file,
                case,
                target: self.targets.index(&fields.target),
                trial: fields.trial,
                offset,
            },
            None => ReportPosition {
                file,
                ..ReportPosition::last(offset)
            },
        }
    }

    /// Returns the offsets in order, after the indices in positions are replaced by ranks.
    fn sorted(self, mut positions: Vec<ReportPosition>) -> Vec<u64> {
        let (files, targets) = (self.files.ranks(), self.targets.ranks());
        let rank = |ranks: &[u32], index: u32| ranks.get(index as usize).copied().unwrap_or(index);
        for position in &mut positions {
            position.file = rank(&files, position.file);
            position.target = rank(&targets, position.target);
        }
        positions.sort_unstable();
        let offsets = positions.iter().map(|position| position.offset);
        offsets.collect()
    }
}

/// Names by index: first those that the run lists, in its order, then others as they appear.
struct Names {
    indices: HashMap<String, u32>,
    listed: u32,
}

impl Names {
    fn of<'a>(listed: impl Iterator<Item = &'a str>) -> Names {
        let mut names = Names {
            indices: HashMap::new(),
            listed: 0,
        };
        for name in listed {
            names.index(name);
        }
        names.listed = names.indices.len() as u32;
        names
    }

    fn index(&mut self, name: &str) -> u32 {
        if let Some(index) = self.indices.get(name) {
            return *index;
        }
        let index = self.indices.len() as u32;
        self.indices.insert(name.to_owned(), index);
        index
    }

    /// Returns the rank of each index: names that the run does not list are sorted, so that the order
    /// in which trials end changes nothing.
    fn ranks(self) -> Vec<u32> {
        let mut others: Vec<(&str, u32)> = self
            .indices
            .iter()
            .map(|(name, index)| (&**name, *index))
            .filter(|(_, index)| *index >= self.listed)
            .collect();
        others.sort_unstable();
        let mut ranks: Vec<u32> = (0..self.indices.len() as u32).collect();
        for (rank, (_, index)) in (self.listed..).zip(others) {
            ranks[index as usize] = rank;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use agentv_core::RanFile;

    use super::*;
    use crate::results::RunResults;
    use crate::samples::graded;

    /// Returns the ids of the records in the order of reports.
    fn ordered(run: Option<&RunRecord>, records: &[ResultRecord]) -> Vec<String> {
        let file = tempfile::NamedTempFile::with_suffix(".jsonl").unwrap();
        let lines: Vec<String> = records
            .iter()
            .map(|record| serde_json::to_string(record).unwrap() + "\n")
            .collect();
        std::fs::write(file.path(), lines.concat()).unwrap();
        let results = RunResults::of_file(file.path());
        let mut latest = results.latest().unwrap();
        let offsets = in_file_order(run, &mut latest).unwrap();
        let mut at = results.at().unwrap();
        let id = |offset| at.get::<ResultRecord>(offset).unwrap().value.eval_id;
        offsets.into_iter().map(id).collect()
    }

    fn at(id: &str, file: &str, position: u64) -> ResultRecord {
        ResultRecord {
            eval_file: file.into(),
            position: Some(position),
            ..graded(id, 1.0)
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_files_and_of_their_cases() {
        let listed = |path: &str| RanFile {
            path: path.to_owned(),
            ..RanFile::default()
        };
        let run = RunRecord {
            files: vec![listed("b.yaml"), listed("a.yaml")],
            ..RunRecord::default()
        };
        // Ten comes after nine, and files in the order of the command line.
        let records = [
            at("4", "a.yaml", 1),
            at("3", "b.yaml", 10),
            at("2", "b.yaml", 9),
            at("5", "d.yaml", 1),
            at("1", "b.yaml", 3),
        ];
        assert_eq!(ordered(Some(&run), &records), ["1", "2", "3", "4", "5"]);
    }

    #[test]
    fn trials_of_a_case_are_by_target_and_number() {
        let of = |id: &str, target: &str, trial: u32| ResultRecord {
            target: target.into(),
            trial,
            ..at(id, "a.yaml", 1)
        };
        let run = RunRecord {
            chosen_targets: vec!["new".to_owned(), "old".to_owned()],
            ..RunRecord::default()
        };
        let records = [
            of("4", "old", 2),
            of("2", "new", 10),
            of("3", "old", 1),
            of("1", "new", 9),
        ];
        assert_eq!(ordered(Some(&run), &records), ["1", "2", "3", "4"]);
        assert_eq!(ordered(None, &records), ["1", "2", "3", "4"]);
    }

    #[test]
    fn records_without_a_position_stay_as_they_ended() {
        let records = [graded("z", 1.0), graded("a", 1.0), graded("m", 1.0)];
        assert_eq!(ordered(None, &records), ["z", "a", "m"]);
    }
}
