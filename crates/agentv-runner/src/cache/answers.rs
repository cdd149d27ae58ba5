//! The cache of answers: one SQLite file, shared by runs and processes.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::{Secrets, Transcript};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

/// Answers of earlier runs, by answer key. Several processes may share the file.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// The time that one process waits while another writes.
const PATIENCE: Duration = Duration::from_secs(30);

impl Cache {
    /// Opens the cache at `path`, or creates it.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or is not a cache.
    pub fn open(path: &Path) -> Result<Cache, CacheError> {
        let failed = |error: rusqlite::Error| CacheError::new(path, error);
        // It holds answers of models, as runs do. SQLite makes its other files just as private.
        agentv_journal::create_private(path).map_err(|error| CacheError {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        let connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        set_up(&connection).map_err(failed)?;
        Ok(Cache {
            path: path.to_owned(),
            connection: Mutex::new(connection),
        })
    }

    /// Returns the answer with this key.
    pub(crate) fn get(&self, key: &str) -> Result<Option<Transcript>, CacheError> {
        let connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut query = connection
            .prepare_cached("SELECT transcript FROM answers WHERE key = ?1")
            .map_err(|error| CacheError::new(&self.path, error))?;
        let found: Option<Vec<u8>> = query
            .query_row(params![key], |row| row.get(0))
            .optional()
            .map_err(|error| CacheError::new(&self.path, error))?;
        // An answer that another version wrote and this one cannot read is asked for again.
        Ok(found.and_then(|json| serde_json::from_slice(&json).ok()))
    }

    /// Stores an answer, without secrets.
    pub(crate) fn put(
        &self,
        key: &str,
        transcript: &Transcript,
        secrets: &Secrets,
    ) -> Result<(), CacheError> {
        let mut json = Vec::new();
        // A transcript consists of texts and finite numbers, which JSON can represent.
        let _ = serde_json::to_writer(&mut json, transcript);
        secrets.redact_json(&mut json);
        let connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        connection
            .prepare_cached("INSERT OR REPLACE INTO answers (key, transcript) VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute(params![key, json]))
            .map_err(|error| CacheError::new(&self.path, error))?;
        Ok(())
    }
}

/// Creates the table. Changing the journal mode fails at once while the file is locked, whatever
/// the timeout, so it is tried again.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let made = connection.execute_batch(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL;
             CREATE TABLE IF NOT EXISTS answers (
                 key TEXT PRIMARY KEY, transcript BLOB NOT NULL
             ) WITHOUT ROWID;",
        );
        let busy = made
            .as_ref()
            .err()
            .and_then(rusqlite::Error::sqlite_error_code)
            == Some(ErrorCode::DatabaseBusy);
        if !busy || Instant::now() > until {
            return made;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A cache that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use the cache `{}`: {reason}", path.display())]
pub struct CacheError {
    path: PathBuf,
    reason: String,
}

impl CacheError {
    fn new(path: &Path, error: rusqlite::Error) -> CacheError {
        CacheError {
            path: path.to_owned(),
            reason: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_share_answers_and_no_secret_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/responses.sqlite");
        let (one, other) = (Cache::open(&path).unwrap(), Cache::open(&path).unwrap());
        let mut secrets = Secrets::default();
        secrets.add("sk-0123456789");
        assert_eq!(other.get("a").unwrap(), None);
        let transcript = Transcript::of_text("the key is sk-0123456789");
        one.put("a", &transcript, &secrets).unwrap();
        let found = other.get("a").unwrap().unwrap();
        assert_eq!(found.answer(), "the key is [REDACTED]");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_cache() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/answers.sqlite");
        let cache = Cache::open(&path).unwrap();
        let transcript = Transcript::of_text("four");
        cache.put("a", &transcript, &Secrets::default()).unwrap();
        let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
        let files: Vec<_> = files.map(|file| file.unwrap()).collect();
        assert!(!files.is_empty());
        for file in files {
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", file.path().display());
        }
    }

    #[test]
    fn one_that_another_process_is_about_to_create_is_waited_for() {
        for lock in [
            "BEGIN EXCLUSIVE",
            "BEGIN IMMEDIATE",
            "BEGIN; SELECT * FROM other",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("cache.sqlite");
            let other = Connection::open(&path).unwrap();
            other.execute_batch("CREATE TABLE other (a)").unwrap();
            other.execute_batch(lock).unwrap();
            let opening = std::thread::spawn({
                let path = path.clone();
                move || Cache::open(&path).map(drop)
            });
            // Long enough for an impatient opener to give up.
            std::thread::sleep(Duration::from_millis(100));
            other.execute_batch("COMMIT").unwrap();
            assert_eq!(opening.join().unwrap(), Ok(()), "{lock}");
        }
    }

    #[test]
    fn a_file_that_is_not_a_cache_gives_a_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        std::fs::write(&path, "not a database at all, but long enough to look at").unwrap();
        let error = Cache::open(&path).unwrap_err().to_string();
        assert!(error.starts_with("cannot use the cache `"), "{error}");
    }
}
