//! The variables that targets use: those of the process, then those of a `.env` file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::Secrets;

use super::dotenv::Dotenv;
use super::dotenv_file::content_of;
use crate::secrets::{OpenValue, SecretValues};

/// Variables by name. Those of the process take precedence over those of a `.env` file.
///
/// ```
/// use agentv_providers::Environment;
///
/// let environment = Environment::new([("MODEL".to_owned(), "gpt-5".to_owned())]);
/// assert_eq!(environment.get("MODEL"), Some("gpt-5"));
/// ```
#[derive(Clone, Default)]
pub struct Environment {
    process: Arc<HashMap<String, String>>,
    dotenv: Arc<BTreeMap<String, String>>,
    /// The `.env` file, if there is one.
    dotenv_file: Option<Arc<Path>>,
    /// The lines of the `.env` file that cannot be used, or may be misread.
    remarks: Arc<[DotenvRemark]>,
    /// The variables of the process whose values are not text and cannot be used.
    not_text: Arc<BTreeSet<String>>,
}

impl Environment {
    /// Returns the variables of this process, without those that are not text.
    pub fn of_process() -> Environment {
        Environment::of_system(std::env::vars_os())
    }

    fn of_system(variables: impl Iterator<Item = (OsString, OsString)>) -> Environment {
        let named = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let (text, not_text): (Vec<_>, Vec<_>) =
            named.partition(|(_, value)| value.to_str().is_some());
        let text = text
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.into_string().ok()?)));
        Environment {
            not_text: Arc::new(not_text.into_iter().map(|(name, _)| name).collect()),
            ..Environment::new(text)
        }
    }

    /// Creates an environment with these variables of a process.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Environment {
        Environment {
            process: Arc::new(variables.into_iter().collect()),
            dotenv: Arc::default(),
            dotenv_file: None,
            remarks: Arc::default(),
            not_text: Arc::default(),
        }
    }

    /// Adds the variables of a `.env` file. Lines that cannot be used are skipped, with a
    /// [remark](Environment::remarks).
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn with_dotenv(&self, path: &Path) -> Result<Environment, DotenvError> {
        let bytes = content_of(path).map_err(|error| DotenvError {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        let Dotenv { variables, remarks } = Dotenv::read(&text.replace('\r', "\n"));
        let remarks = remarks.into_iter().map(|(line, reason)| DotenvRemark {
            path: path.to_owned(),
            line,
            reason,
        });
        Ok(Environment {
            process: Arc::clone(&self.process),
            dotenv: Arc::new(variables),
            dotenv_file: Some(path.into()),
            remarks: remarks.collect(),
            not_text: Arc::clone(&self.not_text),
        })
    }

    /// Returns the path of the `.env` file, if there is one.
    pub(crate) fn dotenv_file(&self) -> Option<&Path> {
        self.dotenv_file.as_deref()
    }

    /// Returns the remarks about lines of the `.env` file.
    pub fn remarks(&self) -> &[DotenvRemark] {
        &self.remarks
    }

    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.process.get(name).or_else(|| self.dotenv.get(name));
        value.map(String::as_str)
    }

    /// Checks whether the process has a variable of this name whose value is not text.
    pub(crate) fn is_not_text(&self, name: &str) -> bool {
        self.not_text.contains(name)
    }

    /// Returns the variables of the `.env` file that the process does not have. Commands inherit them
    /// beside those of the process.
    pub fn added(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = self.dotenv.iter();
        entries
            .filter(|(name, _)| !self.process.contains_key(*name))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the variables of the `.env` file with their values: those of the file, and those of the
    /// process that replace them.
    pub(crate) fn dotenv_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.dotenv.iter().flat_map(|(name, value)| {
            let replaced = self.process.get(name);
            let values = std::iter::once(value).chain(replaced);
            values.map(|value| (name.as_str(), value.as_str()))
        })
    }

    /// Returns the secret values of the `.env` file, and the values that are not hidden.
    pub fn secrets(&self) -> (Secrets, Vec<OpenValue>) {
        let values = SecretValues::of_environment(self);
        let open = values.not_hidden();
        (values.secrets, open)
    }
}

/// Writes the names without the values.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.process.keys().chain(self.dotenv.keys());
        f.debug_set().entries(names).finish()
    }
}

/// A `.env` file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read `{}`: {reason}", path.display())]
pub struct DotenvError {
    /// The file.
    pub path: PathBuf,
    /// The problem.
    pub reason: String,
}

/// A line of a `.env` file that cannot be used, or may be misread. The remark never holds its content,
/// which may be secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DotenvRemark {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// The remark, a clause about the line.
    pub reason: &'static str,
}

impl fmt::Display for DotenvRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DotenvRemark { path, line, reason } = self;
        write!(f, "`{}`: line {line} {reason}", path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: impl AsRef<[u8]>) -> Result<Environment, DotenvError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        std::fs::write(&path, text).unwrap();
        let process = [("BOTH".to_owned(), "process".to_owned())];
        Environment::new(process).with_dotenv(&path)
    }

    #[test]
    fn the_process_wins_over_the_file() {
        let environment = read("BOTH=file\nOWN=file\n").unwrap();
        assert_eq!(environment.get("BOTH"), Some("process"));
        assert_eq!(environment.get("OWN"), Some("file"));
        assert_eq!(environment.added().collect::<Vec<_>>(), [("OWN", "file")]);
    }

    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_not_utf8_is_known_to_exist() {
        use std::os::unix::ffi::OsStringExt;
        let variables = [
            ("TEXT".into(), "right".into()),
            ("BYTES".into(), OsString::from_vec(vec![b'a', 0xff])),
        ];
        let environment = Environment::of_system(variables.into_iter());
        assert_eq!(environment.get("TEXT"), Some("right"));
        assert_eq!(environment.get("BYTES"), None);
        assert!(environment.is_not_text("BYTES") && !environment.is_not_text("TEXT"));
    }

    #[test]
    fn values_may_have_quotes_and_line_ends() {
        let text = "\u{feff}# a comment\r\nexport A=\"two words\"\r\n\nB='one\ntwo'\nC=\"x\\ny\"\nD=\nE=1 # why\nA=last";
        let environment = read(text).unwrap();
        let expected = [
            ("A", "last"),
            ("B", "one\ntwo"),
            ("C", "x\ny"),
            ("D", ""),
            ("E", "1"),
        ];
        assert_eq!(environment.added().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_broken_line_is_named_and_not_shown_and_the_others_count() {
        for (text, line) in [
            (&b"A=1\n\nsk-very-secret is here\nB=2\n"[..], 3),
            (b"A=1\nC=\"sk-very-secret\nB=2\n", 2),
            (b"A=1\r\nB=2\r\nC=sk-very-secret\xff\r\n", 3),
        ] {
            let environment = read(text).unwrap();
            let [remark] = environment.remarks() else {
                panic!("{:?}", environment.remarks());
            };
            assert_eq!(remark.line, line);
            assert!(!remark.to_string().contains("very-secret"), "{remark}");
            let others = [environment.get("A"), environment.get("B")];
            assert_eq!(others, [Some("1"), Some("2")]);
        }
    }

    #[test]
    fn secrets_of_the_file_are_known_by_their_names_and_their_looks() {
        let text = "API_KEY=0123456789\nMODEL=abcdefghij\nTOKEN=abc\nDB=pg://u:p%40ssw0rdLong@db\n\
                    ID=9f8a7b6c5d4e\nEMPTY=\nBOTH=9f8a7b6c5d4f\n";
        let (secrets, open) = read(text).unwrap().secrets();
        let text = secrets.redact(
            "0123456789 abcdefghij abc p@ssw0rdLong pg://u:p%40ssw0rdLong@db 9f8a7b6c5d4e 9f8a7b6c5d4f",
        );
        let expected =
            "[REDACTED] abcdefghij abc [REDACTED] pg://u:[REDACTED]@db [REDACTED] [REDACTED]";
        assert_eq!(text, expected);
        let open: Vec<_> = open.into_iter().map(|open| open.name).collect();
        assert_eq!(open, ["`BOTH`", "`MODEL`", "`TOKEN`"]);
    }
}
