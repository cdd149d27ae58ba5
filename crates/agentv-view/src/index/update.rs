//! Reading the lines of a run that are new.

use std::fs::File;
use std::io;
use std::path::Path;

use agentv_journal::RecordFile;
use agentv_report::in_order;

use super::error::IndexError;
use super::joins::Joins;
use super::part::{ResultKeys, ResultPieces, ResultsPart, TranscriptPieces, TranscriptsPart};
use super::pieces::pieces;
use super::row::Row;
use super::run_index::{RunIndex, opened};
use super::stamp::FileStamp;

impl RunIndex {
    /// Reads the lines that were added to the run, and returns false if that is not possible, because its
    /// files were replaced or the index was kept: then it must be built again.
    ///
    /// # Errors
    /// Fails if the files of the run cannot be read.
    pub fn update(&mut self) -> Result<bool, IndexError> {
        let (results, transcripts) = (
            self.path(RecordFile::Results),
            self.path(RecordFile::Transcripts),
        );
        let open = |path: &Path| opened(path).map_err(IndexError::of("read", path));
        // The length of the results is taken first: transcripts are written before their results.
        let results_file = open(&results)?;
        let results_end = length(results_file.as_ref(), &results)?;
        let transcripts_file = open(&transcripts)?;
        let transcripts_end = length(transcripts_file.as_ref(), &transcripts)?;
        let files = [results_file.as_ref(), transcripts_file.as_ref()];
        for (stamp, file) in self.stamps.iter().zip(files) {
            let is_same = stamp.is_start_of(file);
            if !is_same.map_err(IndexError::of("read", &results))? {
                return Ok(false);
            }
        }
        let ends = [results_end, transcripts_end];
        if ends == [self.results.end, self.transcripts.end] {
            return Ok(true);
        }
        let Some(mut joins) = self.joins.take() else {
            return Ok(false);
        };
        let read = self.read_new(&mut joins, files, ends);
        self.joins = Some(joins);
        read.map_err(IndexError::of("read", &results))?;
        Ok(true)
    }

    fn read_new(
        &mut self,
        joins: &mut Joins,
        [results, transcripts]: [Option<&File>; 2],
        [results_end, transcripts_end]: [u64; 2],
    ) -> io::Result<()> {
        let before = (self.results.end, self.transcripts.end);
        if let Some(file) = transcripts {
            let pieces = pieces(file, self.transcripts.end..transcripts_end)?;
            let key = &joins.key.clone();
            in_order(&TranscriptPieces { file, key }, &pieces, &mut |part| {
                self.add_transcripts(joins, part)
            })?;
        }
        // Most trials have a transcript: a table that grows later needs its old and its new memory.
        joins
            .trials
            .reserve(self.places.len().saturating_sub(joins.trials.len()));
        if let Some(file) = results {
            let pieces = pieces(file, self.results.end..results_end)?;
            let key = &joins.key.clone();
            in_order(&ResultPieces { file, key }, &pieces, &mut |part| {
                self.add_results(joins, part)
            })?;
        }
        self.share_answers(joins);
        self.words.flush()?;
        self.questions.flush()?;
        self.stamps = [
            FileStamp::of(results, self.results.end)?,
            FileStamp::of(transcripts, self.transcripts.end)?,
        ];
        if before != (self.results.end, self.transcripts.end) {
            self.version += 1;
        }
        Ok(())
    }

    fn add_transcripts(&mut self, joins: &mut Joins, part: TranscriptsPart) -> io::Result<()> {
        let start = self.questions.len();
        let cut = part.cut.into_iter();
        for ((mut place, (own, answer)), is_cut) in part.places.into_iter().zip(part.keys).zip(cut)
        {
            place.question += start;
            let next = self.places.len() as u32;
            let number = *joins.own.entry(own.into()).or_insert(next);
            if is_cut {
                joins.cut.insert(number);
            }
            // A later transcript of the same answer takes the place of the earlier one.
            match number {
                number if number == next => {
                    self.places.push(place);
                    joins.answers.push(answer);
                }
                number => self.places[number as usize] = place,
            }
        }
        self.transcripts.end = part.read.end;
        self.transcripts.damaged += part.read.damaged;
        self.questions.append(&part.questions)
    }

    fn add_results(&mut self, joins: &mut Joins, part: ResultsPart) -> io::Result<()> {
        let renumbering = self.names.add(&part.names);
        let start = self.words.len();
        self.words.append(&part.words)?;
        for (mut row, keys) in part.rows.into_iter().zip(part.keys) {
            renumbering.apply(&mut row);
            row.words += start;
            if let Some(transcript) = joins.own.get(&keys.own.into()) {
                row.transcript = *transcript;
            }
            if joins.cut.contains(&row.transcript) {
                row.set_cut(true);
            }
            self.add_row(joins, row, keys)?;
        }
        self.results.end = part.read.end;
        self.results.damaged += part.read.damaged;
        Ok(())
    }

    /// Adds a row, or replaces the one of the same trial.
    fn add_row(&mut self, joins: &mut Joins, row: Row, keys: ResultKeys) -> io::Result<()> {
        let next = self.rows.len() as u32;
        let known = *joins.trials.entry(keys.trial.into()).or_insert(next);
        let number = match self.rows.get(known as usize).copied() {
            Some(earlier) if self.is_same_trial(&earlier, &row)? => {
                self.rows[known as usize] = row;
                known
            }
            // Two trials with the same digest stay two trials.
            Some(_) | None => {
                self.rows.push(row);
                next
            }
        };
        if row.transcript == Row::NO_TRANSCRIPT
            && let Some(answer) = keys.answer
        {
            joins.sharing.push((number, answer));
        }
        Ok(())
    }

    fn is_same_trial(&self, one: &Row, other: &Row) -> io::Result<bool> {
        if (one.file, one.target, one.trial) != (other.file, other.target, other.trial) {
            return Ok(false);
        }
        let id = |row: &Row| -> io::Result<Vec<u8>> {
            let words = self.words.entry(row.words)?;
            let end = memchr::memchr(super::texts::PART, &words);
            Ok(words[..end.unwrap_or(words.len())].to_vec())
        };
        Ok(id(one)? == id(other)?)
    }

    /// Gives the transcript of another case with the same question to rows that have none of their own.
    fn share_answers(&mut self, joins: &mut Joins) {
        let by_answer = joins.by_answer();
        for (number, answer) in std::mem::take(&mut joins.sharing) {
            if let (Some(row), Some(transcript)) = (
                self.rows.get_mut(number as usize),
                by_answer.get(&answer.into()),
            ) && row.transcript == Row::NO_TRANSCRIPT
            {
                row.transcript = *transcript;
                if joins.cut.contains(transcript) {
                    row.set_cut(true);
                }
            }
        }
    }
}

fn length(file: Option<&File>, path: &Path) -> Result<u64, IndexError> {
    let found = file.map(File::metadata).transpose();
    let found = found.map_err(IndexError::of("read", path))?;
    Ok(found.map_or(0, |found| found.len()))
}
