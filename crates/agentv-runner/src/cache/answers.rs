//! The cache of answers: one SQLite file, shared by runs and processes.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::Transcript;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// Answers of earlier runs, by answer key. Several processes may share the file.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// An answer of an earlier run. Its duration is the one that the target reported, else the one that was
/// measured then: a check of durations has the same result as when the answer was new.
#[derive(Debug, PartialEq)]
pub(crate) struct CachedAnswer {
    pub(crate) transcript: Transcript,
    /// True if secrets were removed from it.
    pub(crate) redacted: bool,
}

impl CachedAnswer {
    /// Reads an answer; `None` if another version wrote it and this one cannot read it.
    fn of_json(json: &[u8]) -> Option<CachedAnswer> {
        #[derive(Deserialize)]
        struct Mark {
            #[serde(default)]
            redacted: bool,
            measured_ms: Option<f64>,
        }
        let mark: Mark = serde_json::from_slice(json).ok()?;
        let mut transcript: Transcript = serde_json::from_slice(json).ok()?;
        transcript.duration_ms = transcript.duration_ms.or(mark.measured_ms);
        Some(CachedAnswer {
            transcript,
            redacted: mark.redacted,
        })
    }
}

/// An answer as the cache holds it.
#[derive(Serialize)]
struct StoredAnswer<'a> {
    #[serde(flatten)]
    transcript: &'a Transcript,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
    /// The duration that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured_ms: Option<f64>,
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
    pub(crate) fn get(&self, key: &str) -> Result<Option<CachedAnswer>, CacheError> {
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
        Ok(found.and_then(|json| CachedAnswer::of_json(&json)))
    }

    /// Stores an answer. Secrets have been removed from it.
    pub(crate) fn put(
        &self,
        key: &str,
        transcript: &Transcript,
        redacted: bool,
        measured_ms: Option<f64>,
    ) -> Result<(), CacheError> {
        let mut json = Vec::new();
        // A transcript consists of texts and finite numbers, which JSON can represent.
        let _ = serde_json::to_writer(
            &mut json,
            &StoredAnswer {
                transcript,
                redacted,
                measured_ms,
            },
        );
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

    fn answer(text: &str, redacted: bool) -> CachedAnswer {
        CachedAnswer {
            transcript: Transcript::of_text(text),
            redacted,
        }
    }

    #[test]
    fn two_processes_share_answers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/responses.sqlite");
        let (one, other) = (Cache::open(&path).unwrap(), Cache::open(&path).unwrap());
        assert_eq!(other.get("a").unwrap(), None);
        for redacted in [false, true] {
            let answer = answer("the key is [REDACTED]", redacted);
            one.put("a", &answer.transcript, redacted, None).unwrap();
            assert_eq!(other.get("a").unwrap(), Some(answer));
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_cache() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/answers.sqlite");
        let cache = Cache::open(&path).unwrap();
        let answer = answer("four", false);
        cache.put("a", &answer.transcript, false, None).unwrap();
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
