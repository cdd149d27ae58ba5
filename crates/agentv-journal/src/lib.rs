//! The run folder on disk: append, recover, fold, merge, lock.
//!
//! A [`RunFolder`] holds what one run did, in three files: `run.json` says what ran, and the two
//! [`RecordFile`]s hold one JSON record a line. Whoever writes holds the folder's lock
//! ([`RunFolder::write`] gives a [`RunWriter`]) and adds records with [`Append`]; whoever reads needs
//! no lock and may read while the run goes on.
//!
//! Three promises:
//!
//! - **A record that was appended stays.** It is one `write`: once that has returned, killing the
//!   process takes nothing away. It is synced to disk about once a second, which bounds what power
//!   loss costs. What was left half written, by a kill in the middle of a large write, a full disk or
//!   lost power, is cut off, and nothing before it is touched.
//! - **Nothing is dropped silently.** A damaged line among whole ones is a [`Line::Damaged`] with its
//!   number, never a gap.
//! - **Memory does not grow with records.** Readers hold one line; [`latest_by_key`] holds 16 bytes
//!   a record.
//!
//! A record is any serde value. What its key is, the reader says ([`KeyFields`]): of records with
//! equal keys the last one in a file counts, so a resumed run simply appends.
//!
//! ```
//! use std::time::Instant;
//!
//! use agentv_journal::{Key, KeyFields, Line, RecordFile, RunFolder};
//! use serde_json::{Value, json};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let project = tempfile::tempdir()?;
//! # let results = project.path().join(".agentv/results");
//! let now = "2026-11-15T10:43:07.309Z".parse()?;
//! let folder = RunFolder::create_at(&results, now)?;
//! assert_eq!(folder.id().as_str(), "2026-11-15T10-43-07Z-4f1a");
//!
//! let mut writer = folder.write(now)?;
//! writer.write_run(&json!({"started_at": now.to_string(), "files": ["evals/a.yaml"]}))?;
//! let mut results = writer.append(RecordFile::Results)?;
//! results.append(&json!({"grade_key": "a", "status": "error"}), Instant::now())?;
//! results.append(&json!({"grade_key": "b", "status": "pass"}), Instant::now())?;
//! results.append(&json!({"grade_key": "a", "status": "pass"}), Instant::now())?;
//! results.finish()?;
//!
//! let mut latest = folder.latest(RecordFile::Results, &KeyFields::new(["grade_key"]))?;
//! assert_eq!(latest.len(), 2);
//! let found = latest.get::<Value>(&Key::from("a"))?.map(|record| record.value["status"].clone());
//! assert_eq!(found, Some("pass".into()));
//! for line in latest.records::<Value>() {
//!     match line? {
//!         Line::Record(record) => assert_eq!(record.value["status"], "pass"),
//!         Line::Damaged(damage) => panic!("{damage}"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod append;
mod atomic_file;
mod compact;
mod disk;
mod fault;
mod file_error;
mod fold;
mod folder;
mod key;
mod lines;
mod list;
mod lock;
mod merge;
mod open;
mod read;
mod recover;
mod run_id;
mod seek;
mod storage;

pub use append::{Append, AppendError, Appended, PendingSync, SYNC_INTERVAL};
pub use atomic_file::{Access, AtomicFile};
pub use disk::create_private;
pub use file_error::FileError;
pub use fold::{Latest, LatestRecords, latest_by_key, latest_by_key_until};
pub use folder::{FolderError, RecordFile, RunFolder, RunWriter, SCHEMA_VERSION};
pub use key::{Key, KeyFields, KeyPart};
pub use lines::{Ending, MAX_LINE};
pub use list::{ListedRun, list_runs};
pub use lock::Holder;
pub use merge::{MergeRule, Merged, merge_files};
pub use open::open_to_read;
pub use read::{Damage, Line, Reader, Record};
pub use recover::Recovery;
pub use run_id::{InvalidRunId, RunId};
pub use seek::RecordsAt;
pub use storage::{RunFile, Storage};
