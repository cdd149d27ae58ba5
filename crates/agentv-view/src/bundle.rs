//! Runs as a static site, for any web server.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use agentv_journal::{FileError, RecordFile, RunFolder};
use agentv_report::{ReportFailure, RunLine, RunResults, SiteLink, TrialsPage, write_runs_page};
use serde::Serialize;

use crate::platform::open_to_all;
use crate::run_list::ListedRun;
use crate::runs::{Runs, refuse_links};
use crate::view_error::ViewError;

/// The largest size of a run in bytes whose page is one file, so that it needs no web server.
const SMALL: u64 = 32 << 20;
/// The largest number of trials on a page. Browsers keep all of them in memory.
const MOST_TRIALS: usize = 250_000;
/// The file that marks a folder as a bundle, which may be replaced.
const MARK: &str = ".agentv-bundle";

/// A written bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The number of runs with a page.
    pub runs: usize,
    /// The number of pages that need a web server.
    pub large: usize,
    /// The runs without a page, and the reasons.
    pub problems: Vec<(String, String)>,
}

#[derive(Serialize)]
struct Site {
    folder: String,
    runs: Vec<SiteRun>,
}

#[derive(Serialize)]
struct SiteRun {
    id: String,
    lines: Vec<RunLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The address of its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// The address of the comparison with the run before.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

impl Runs {
    /// Writes a page of all runs, a page for each run, and a comparison of each run with the one before
    /// it, to a folder. A bundle that is already there is replaced.
    ///
    /// # Errors
    /// Fails if there is something else in the folder, or it cannot be written.
    pub fn bundle(&self, folder: &Path) -> Result<Bundle, ViewError> {
        refuse_others(folder)?;
        let parent = folder.parent().filter(|parent| *parent != Path::new(""));
        let parent = parent.unwrap_or(Path::new("."));
        let failed = |source| not_written(folder, source);
        fs::create_dir_all(parent).map_err(failed)?;
        let made = tempfile::Builder::new()
            .prefix(".agentv-bundle-")
            .tempdir_in(parent);
        let made = made.map_err(failed)?;
        let bundle = Writer {
            folder: made.path(),
        }
        .write(self)?;
        put_in_place(made, folder).map_err(failed)?;
        Ok(bundle)
    }
}

/// A writer of a site.
struct Writer<'a> {
    folder: &'a Path,
}

impl Writer<'_> {
    fn write(&self, runs: &Runs) -> Result<Bundle, ViewError> {
        let listed = runs.list()?;
        let folders = runs.folders()?;
        let mut bundle = Bundle {
            runs: 0,
            large: 0,
            problems: Vec::new(),
        };
        let mut site = Site {
            folder: runs.folder().display().to_string(),
            runs: Vec::new(),
        };
        for (at, run) in listed.iter().enumerate() {
            let older = listed[at + 1..].iter().find(|older| is_like(run, older));
            let written = self.run(run, older, &folders, &mut bundle);
            if let Err(error) = &written {
                bundle.problems.push((run.id.clone(), error.to_string()));
            }
            let (page, before) = written.unwrap_or_default();
            site.runs.push(SiteRun {
                id: run.id.clone(),
                lines: run.lines.clone(),
                problem: run.problem.clone(),
                page,
                before,
            });
        }
        let index = || {
            fs::write(self.folder.join(MARK), "")?;
            let mut out = BufWriter::new(File::create(self.folder.join("index.html"))?);
            write_runs_page(&site, &mut out)?;
            out.flush()
        };
        index().map_err(|source| not_written(self.folder, source))?;
        Ok(bundle)
    }

    /// Writes the pages of a run, and returns their addresses.
    fn run(
        &self,
        run: &ListedRun,
        older: Option<&ListedRun>,
        folders: &[RunFolder],
        bundle: &mut Bundle,
    ) -> Result<(Option<String>, Option<String>), ViewError> {
        let folder_of = |id: &str| folders.iter().find(|folder| folder.id().as_str() == id);
        let Some(folder) = folder_of(&run.id) else {
            return Err(ViewError::NoRun(run.id.clone()));
        };
        let older = older.and_then(|older| folder_of(&older.id));
        let page = format!("run/{}/index.html", encoded(&run.id));
        let before = older.map(|_| format!("compare/{}/index.html", encoded(&run.id)));
        let home = ("../../index.html".to_owned(), "Runs".to_owned());
        let compare = before.as_ref().map(|address| {
            let text = "Compare with the run before".to_owned();
            (format!("../../{address}"), text)
        });
        let links: Vec<SiteLink> = [Some(home.clone()), compare]
            .into_iter()
            .flatten()
            .collect();
        bundle.large += usize::from(self.page("run", &run.id, &[folder], &links)?);
        bundle.runs += 1;
        if let Some(older) = older {
            let whole = (format!("../../{page}"), run.id.clone());
            let pair = [older, folder];
            let is_large = self.page("compare", &run.id, &pair, &[home, whole])?;
            bundle.large += usize::from(is_large);
        }
        Ok((Some(page), before))
    }

    /// Writes a page of trials. Returns true if it needs a web server.
    fn page(
        &self,
        kind: &str,
        id: &str,
        folders: &[&RunFolder],
        links: &[SiteLink],
    ) -> Result<bool, ViewError> {
        let place = self.folder.join(kind).join(id);
        let failed = |source| not_written(&place, source);
        fs::create_dir_all(&place).map_err(failed)?;
        let mut runs = Vec::new();
        for folder in folders {
            refuse_links(folder)?;
            let results = RunResults::of_folder(folder);
            runs.push(results.unwrap_or_else(|_| RunResults::without_run(folder)));
        }
        let is_large = folders.iter().map(|folder| size(folder)).sum::<u64>() > SMALL;
        let page = TrialsPage {
            runs: &runs,
            most_trials: MOST_TRIALS,
            files: is_large.then_some(&*place),
            links,
        };
        let mut out = BufWriter::new(File::create(place.join("index.html")).map_err(failed)?);
        page.write(&mut out).map_err(|error| match error {
            ReportFailure::Read(error) => ViewError::File(error),
            ReportFailure::Write(error) => not_written(&place, io::Error::other(error)),
        })?;
        Ok(is_large)
    }
}

/// Checks if two runs have the same files and targets, so that a comparison makes sense.
fn is_like(run: &ListedRun, older: &ListedRun) -> bool {
    let (Some(one), Some(other)) = (run.lines.first(), older.lines.first()) else {
        return false;
    };
    one.files == other.files && one.dry_run == other.dry_run
}

fn size(folder: &RunFolder) -> u64 {
    let files = [RecordFile::Results, RecordFile::Transcripts];
    let sizes = files.map(|name| fs::metadata(folder.file(name)).map_or(0, |found| found.len()));
    sizes.iter().sum()
}

/// Fails if the folder has anything but a bundle.
fn refuse_others(folder: &Path) -> Result<(), ViewError> {
    let is_empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(not_written(folder, error)),
    };
    if is_empty || folder.join(MARK).is_file() {
        return Ok(());
    }
    let reason = io::Error::other("it is not empty, and it is not a bundle: choose another folder");
    Err(not_written(folder, reason))
}

/// Renames the new bundle; an old one in its place is removed.
fn put_in_place(made: tempfile::TempDir, folder: &Path) -> io::Result<()> {
    // A web server reads it. It is private while it is made.
    open_to_all(made.path())?;
    if folder.exists() {
        let old = made.path().with_extension("old");
        fs::rename(folder, &old)?;
        fs::rename(made.keep(), folder)?;
        return fs::remove_dir_all(old);
    }
    fs::rename(made.keep(), folder)
}

fn not_written(path: &Path, source: io::Error) -> ViewError {
    ViewError::File(FileError {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

/// Returns the id of a run as a part of an address.
fn encoded(id: &str) -> String {
    let letters = id.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    letters.collect()
}
