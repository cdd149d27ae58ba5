//! The run folder on disk: append, recover, fold, merge, lock.
//!
//! A [`RunFolder`] holds one run in three files: `run.json` describes the run, and the two
//! [`RecordFile`]s hold one JSON record per line. A writer holds the folder's lock
//! ([`RunFolder::write`] returns a [`RunWriter`]) and adds records with [`Append`]. A reader needs no
//! lock and can read while the run is in progress.
//!
//! Three promises:
//!
//! - **An appended record stays.** It is one `write`: once that returns, killing the process loses
//!   nothing. Records are synced to disk about once a second, which bounds the loss on power failure.
//!   A record that was only partly written, because of a kill in the middle of a large write, a full
//!   disk or lost power, is cut off, and nothing before it is touched.
//! - **Nothing is dropped silently.** A damaged line is a [`Line::Damaged`] with its number, never a
//!   gap.
//! - **Memory does not grow with records.** Readers hold one line; [`latest_by_key`] holds 16 bytes
//!   per record.
//!
//! A record is any serde value. The reader names its key ([`KeyFields`]). If several records have the
//! same key, the last one in the file counts, so a resumed run simply appends.
//!
//! [`AtomicFile`] replaces any file in one step; reports and conversions use it too.
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
mod remove;
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
pub use remove::remove_leftovers;
pub use run_id::{InvalidRunId, RunId};
pub use seek::RecordsAt;
pub use storage::{RunFile, Storage};
