//! The folder of a run.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::append::Append;
use crate::atomic_file::{Access, AtomicFile};
use crate::compact::compact_file;
use crate::disk;
use crate::fault;
use crate::file_error::FileError;
use crate::fold::{Latest, latest_by_key};
use crate::key::KeyFields;
use crate::lock::{Holder, Lock, LockError};
use crate::merge::{MergeRule, Merged, merge_files};
use crate::open::{open_to_read, open_to_write};
use crate::read::Reader;
use crate::recover::recover;
use crate::run_id::{InvalidRunId, RunId};
use crate::storage::RunFile;

/// The version of the format of a run folder, which `run.json` contains.
pub const SCHEMA_VERSION: u64 = 1;

pub(crate) const RUN_FILE: &str = "run.json";
const VERSION_FIELD: &str = "schema_version";

/// A file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordFile {
    /// `transcripts.jsonl`.
    Transcripts,
    /// `results.jsonl`.
    Results,
}

impl RecordFile {
    /// Returns the name of the file in a run folder.
    pub fn name(self) -> &'static str {
        match self {
            RecordFile::Transcripts => "transcripts.jsonl",
            RecordFile::Results => "results.jsonl",
        }
    }
}

/// The folder of one run, for reading. Reading works while the run is in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
    id: RunId,
}

impl RunFolder {
    /// Creates the folder of run `id` in `results` and its missing parents, readable only by the user.
    ///
    /// # Errors
    /// [`FolderError::Exists`] when it exists already.
    pub fn create(results: &Path, id: &RunId) -> Result<RunFolder, FolderError> {
        disk::create_folders(results).map_err(|error| in_the_way(results, error))?;
        let path = results.join(id.as_str());
        disk::create_folder(&path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FolderError::Exists(id.clone()),
            _ => FileError::of("create", &path)(error).into(),
        })?;
        for folder in [results, disk::folder_of(results)] {
            disk::sync_folder(folder).map_err(FileError::of("sync", folder))?;
        }
        let id = id.clone();
        Ok(RunFolder { path, id })
    }

    /// Creates the folder of a run that begins at `now`. Its id is unique even if several runs begin at
    /// the same time.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn create_at(results: &Path, now: Timestamp) -> Result<RunFolder, FolderError> {
        const ONE_ID_LATER: SignedDuration = SignedDuration::from_nanos(15_259);
        let mut time = now;
        loop {
            match RunFolder::create(results, &RunId::at(time)) {
                Err(FolderError::Exists(id)) => {
                    let later = time.checked_add(ONE_ID_LATER);
                    time = later.map_err(|_| FolderError::Exists(id))?;
                }
                created => return created,
            }
        }
    }

    /// Opens the run folder at `path`.
    ///
    /// # Errors
    /// [`FolderError::NotFound`] when `path` is not a folder.
    pub fn open(path: &Path) -> Result<RunFolder, FolderError> {
        if !path.is_dir() {
            return Err(FolderError::NotFound(path.to_owned()));
        }
        let named = match path.file_name() {
            Some(_) => path.to_owned(),
            None => fs::canonicalize(path).map_err(FileError::of("open", path))?,
        };
        let name = named.file_name().unwrap_or_default().to_string_lossy();
        let id = name.parse().map_err(FolderError::Id)?;
        let path = path.to_owned();
        Ok(RunFolder { path, id })
    }

    /// Returns the id of the run.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a record file, which may not exist yet.
    pub fn file(&self, name: RecordFile) -> PathBuf {
        self.path.join(name.name())
    }

    /// Reads `run.json`; returns `None` if it was never written.
    ///
    /// # Errors
    /// [`FolderError::Newer`] when a later version wrote it; [`FolderError::File`] when it cannot be
    /// read or is not a `T`.
    pub fn run<T: DeserializeOwned>(&self) -> Result<Option<T>, FolderError> {
        let path = self.path.join(RUN_FILE);
        let mut text = Vec::new();
        match open_to_read(&path).and_then(|mut file| file.read_to_end(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FileError::of("read", &path)(error).into()),
        }
        let not_a_run = |error: serde_json::Error| FileError::of("read", &path)(error.into());
        let mut run: Value = serde_json::from_slice(&text).map_err(not_a_run)?;
        let fields = run.as_object_mut();
        let version = fields.and_then(|fields| fields.shift_remove(VERSION_FIELD));
        match version.as_ref().and_then(Value::as_u64) {
            Some(version) if version > SCHEMA_VERSION => Err(FolderError::Newer {
                id: self.id.clone(),
                version,
            }),
            _ => Ok(Some(serde_json::from_value(run).map_err(not_a_run)?)),
        }
    }

    /// Reads the records of a file in file order.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn records<T: DeserializeOwned>(&self, name: RecordFile) -> Result<Reader<T>, FileError> {
        Reader::open(&self.file(name))
    }

    /// Finds the records of a file that count: the last one of each key.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn latest(&self, name: RecordFile, fields: &KeyFields) -> Result<Latest, FileError> {
        latest_by_key(&self.file(name), fields)
    }

    /// Checks if a process is writing to the folder now. The lock of a process that has ended counts as
    /// free, and so does a folder that cannot be read.
    pub fn is_being_written(&self) -> bool {
        Lock::is_held(&self.path)
    }

    /// Locks the folder for writing until the writer and everything it opened are dropped. The lock of a
    /// process that has ended, for whatever reason, counts as free.
    ///
    /// # Errors
    /// [`FolderError::Locked`] when another writer holds it.
    pub fn write(&self, now: Timestamp) -> Result<RunWriter, FolderError> {
        let lock = Lock::acquire(&self.path, now).map_err(|error| match error {
            LockError::Held(holder) => FolderError::Locked {
                id: self.id.clone(),
                holder,
            },
            LockError::File(error) => error.into(),
        })?;
        disk::remove_temporary(&self.path).map_err(FileError::of("clean up", &self.path))?;
        Ok(RunWriter {
            folder: self.clone(),
            lock: Arc::new(lock),
        })
    }
}

/// Explains why a folder cannot be created: something else has its name, or the error of the system.
fn in_the_way(path: &Path, error: io::Error) -> FileError {
    let found = |path: &&Path| path.symlink_metadata().is_ok();
    let first = path.ancestors().find(found).unwrap_or(path);
    let reason = match first.symlink_metadata() {
        Ok(_) if first.is_dir() => return FileError::of("create", path)(error),
        Ok(found) if found.is_symlink() => {
            "it is a link to a folder that does not exist; create that folder, or remove the link"
        }
        _ => "it is not a folder; move it or remove it",
    };
    FileError::of("use", first)(io::Error::new(io::ErrorKind::AlreadyExists, reason))
}

/// The exclusive right to write to a run folder.
#[derive(Debug)]
pub struct RunWriter {
    folder: RunFolder,
    lock: Arc<Lock>,
}

impl RunWriter {
    /// Returns the folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Writes `run.json`: [`SCHEMA_VERSION`], then the fields of `run`. Readers find the complete old
    /// content or the complete new content. [`list_runs`](crate::list_runs) sorts runs by the field
    /// `started_at`, a time in RFC 3339.
    ///
    /// # Errors
    /// Fails if `run` is not an object or the file cannot be written; then the old content stays.
    pub fn write_run<T: Serialize + ?Sized>(&self, run: &T) -> Result<(), FolderError> {
        let path = self.folder.path.join(RUN_FILE);
        let write = || {
            let mut all = serde_json::Map::new();
            all.insert(VERSION_FIELD.to_owned(), SCHEMA_VERSION.into());
            match serde_json::to_value(run)? {
                Value::Object(fields) => all.extend(fields),
                _ => return Err(io::Error::other("what ran is not an object")),
            }
            all.insert(VERSION_FIELD.to_owned(), SCHEMA_VERSION.into());
            let mut text = serde_json::to_vec_pretty(&all)?;
            text.push(b'\n');
            let mut replacement = AtomicFile::create(&path, Access::Owner)?;
            replacement.write_all(&text)?;
            replacement.commit()
        };
        Ok(write().map_err(FileError::of("write", &path))?)
    }

    /// Opens a file for appending, and cuts it off after its last complete record.
    ///
    /// # Errors
    /// [`FolderError::InUse`] when this writer has it open already.
    pub fn append(&mut self, name: RecordFile) -> Result<Append, FolderError> {
        let path = self.folder.file(name);
        self.reserve(name)?;
        fault::step();
        let mut options = disk::private_file();
        let opened = open_to_write(options.read(true).append(true), &path);
        let mut file = opened.map_err(|error| {
            self.lock.closed(name);
            FileError::of("open", &path)(error)
        })?;
        let recovered = recover(&mut file);
        // From here on, dropping the file releases its name.
        let file = RunFile::new(file, name, Arc::clone(&self.lock));
        let recovery = recovered.map_err(FileError::of("recover", &path))?;
        disk::sync_folder(&self.folder.path).map_err(FileError::of("sync", &self.folder.path))?;
        Ok(Append::new(file, recovery.kept, &path).recovered(recovery))
    }

    /// Merges the records of other folders into this one; see [`merge_files`].
    ///
    /// # Errors
    /// [`FolderError::InUse`] when this writer has the file open. After any error, nothing has changed.
    pub fn merge(
        &mut self,
        name: RecordFile,
        sources: &[RunFolder],
        rule: &MergeRule,
    ) -> Result<Merged, FolderError> {
        self.reserve(name)?;
        let sources: Vec<PathBuf> = sources.iter().map(|source| source.file(name)).collect();
        let merged = merge_files(&sources, &self.folder.file(name), rule);
        self.lock.closed(name);
        Ok(merged?)
    }

    /// Removes from a file, in one step, all records whose key is not that of a record at one of the
    /// sorted `offsets`. Returns the number of removed records.
    ///
    /// # Errors
    /// [`FolderError::InUse`] when this writer has the file open. After any error, nothing has changed.
    pub fn compact(
        &mut self,
        name: RecordFile,
        fields: &KeyFields,
        offsets: &[u64],
    ) -> Result<u64, FolderError> {
        self.reserve(name)?;
        let removed = compact_file(&self.folder.file(name), fields, offsets);
        self.lock.closed(name);
        Ok(removed?)
    }

    fn reserve(&self, name: RecordFile) -> Result<(), FolderError> {
        if self.lock.opened(name) {
            return Ok(());
        }
        Err(FolderError::InUse(self.folder.file(name)))
    }
}

/// The reason why a run folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// There is a run of this id.
    #[error("run `{0}` already exists")]
    Exists(RunId),
    /// There is no folder at this path.
    #[error("run folder `{}` not found", .0.display())]
    NotFound(PathBuf),
    /// The folder's name is not a valid id.
    #[error(transparent)]
    Id(InvalidRunId),
    /// Another writer holds the folder.
    #[error(
        "run `{id}` is being written by {}; wait until it finishes, or stop it",
        name_of(.holder.as_ref())
    )]
    Locked {
        /// The run.
        id: RunId,
        /// The writer, if it is known.
        holder: Option<Holder>,
    },
    /// This writer has the file open.
    #[error("`{}` is already open", .0.display())]
    InUse(PathBuf),
    /// A later version of the program wrote `run.json`.
    #[error(
        "run `{id}` was written by a newer version of agentv: it has schema version {version}, \
         and this version reads up to {SCHEMA_VERSION}; update agentv"
    )]
    Newer {
        /// The run.
        id: RunId,
        /// Its schema version.
        version: u64,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

fn name_of(holder: Option<&Holder>) -> String {
    match holder {
        Some(holder) => holder.to_string(),
        None => "another process (since a moment ago)".to_owned(),
    }
}
