//! One format into another, without losing a field.

mod agentmark;
mod paths;
mod rows;
mod write;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agentv_syntax::{Diagnostic, Draft, Severity};

use crate::dataset::{Dataset, LoadError, sidecar_path};
use crate::format::{Document, FormatKind, Row};
use crate::options::LoadOptions;
use paths::Moved;
use write::{NewFile, finish};

/// What to convert to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// A YAML suite.
    Yaml,
    /// JSON Lines, with a sidecar for dataset-level fields.
    Jsonl,
    /// AgentMark rows, with a sidecar for dataset-level fields.
    AgentMark,
}

impl Conversion {
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Conversion::Yaml => &[".yaml", ".yml"],
            Conversion::Jsonl | Conversion::AgentMark => &[".jsonl"],
        }
    }
}

/// How to convert.
#[derive(Debug, Clone)]
pub struct ConvertOptions {
    /// What to convert to.
    pub to: Conversion,
    /// Whether files that are there already may be replaced. The input never is.
    pub force: bool,
    /// Whether fields that the new format has no place for may be dropped.
    pub lossy: bool,
    /// How the input is loaded.
    pub load: LoadOptions,
    /// Set to something else than 0 to stop; nothing is left behind.
    pub interrupted: Arc<AtomicUsize>,
}

/// What was written.
#[derive(Debug)]
pub struct Converted {
    /// How many cases.
    pub cases: u64,
    /// The files, the eval file first.
    pub files: Vec<PathBuf>,
    /// The input, where it stands beside the output under its name and so is its sidecar.
    pub served_by: Option<PathBuf>,
    /// Remarks about the input.
    pub warnings: Vec<Diagnostic>,
}

/// Why nothing was written.
#[derive(Debug)]
pub enum ConvertError {
    /// The input has problems.
    Problems(Vec<Diagnostic>),
    /// The output's extension does not fit its format.
    Extension {
        /// The output.
        output: PathBuf,
        /// The extensions that fit.
        expected: &'static [&'static str],
    },
    /// The output is the input, or a part of it.
    OwnInput(PathBuf),
    /// A file is there already.
    Exists(PathBuf),
    /// The file that would have to become the sidecar holds cases of its own, or cannot be read.
    NotASidecar(PathBuf),
    /// Fields would be lost.
    Lossy(Vec<Loss>),
    /// A file that a case refers to cannot be reached from the output's place.
    OutOfReach {
        /// The reference as written.
        value: String,
        /// The root of the project that the output lies in.
        root: PathBuf,
    },
    /// The user asked to stop.
    Interrupted,
    /// A file could not be written.
    Io(PathBuf, std::io::Error),
}

/// The fields that one case would lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The line on which the case begins.
    pub line: u64,
    /// The case's id, where it has one.
    pub id: Option<String>,
    /// The fields.
    pub fields: Vec<String>,
}

impl From<LoadError> for ConvertError {
    fn from(error: LoadError) -> Self {
        ConvertError::Problems(vec![*error.diagnostic])
    }
}

impl std::fmt::Display for ConvertError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConvertError::Problems(problems) => {
                write!(
                    f,
                    "the input has problems ({}), nothing was written",
                    problems.len()
                )
            }
            ConvertError::Extension { output, expected } => write!(
                f,
                "`{}` does not end in {}",
                output.display(),
                expected.join(" or ")
            ),
            ConvertError::OwnInput(path) => {
                write!(
                    f,
                    "`{}` belongs to the input and is never replaced",
                    path.display()
                )
            }
            ConvertError::Exists(path) => write!(f, "`{}` is there already", path.display()),
            ConvertError::NotASidecar(path) => write!(
                f,
                "`{}` would become the sidecar of the output, but is something else",
                path.display()
            ),
            ConvertError::Interrupted => write!(f, "interrupted, nothing was written"),
            ConvertError::Lossy(losses) => {
                write!(f, "fields would be lost, nothing was written")?;
                for loss in losses {
                    write!(f, "\n  Line {}: ", loss.line)?;
                    if let Some(id) = &loss.id {
                        write!(f, "case `{id}`: ")?;
                    }
                    f.write_str(&loss.fields.join(", "))?;
                }
                Ok(())
            }
            ConvertError::OutOfReach { value, root } => write!(
                f,
                "the file `{value}` lies outside `{}`, the project that the output is in",
                root.display()
            ),
            ConvertError::Io(path, error) if error.kind() == std::io::ErrorKind::NotFound => {
                write!(f, "`{}`: there is no such folder", path.display())
            }
            ConvertError::Io(path, error) => write!(f, "`{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for ConvertError {}

/// Cases that are named when fields would be lost.
const NAMED_LOSSES: usize = 20;

/// Converts `input` and writes the result to `output`, and beside it a sidecar where there are
/// dataset-level fields. Everything is written to temporary files and renamed at the end.
///
/// # Errors
/// When the input has problems, the output may not be written, or fields would be lost; then
/// nothing is left behind.
pub fn convert(
    input: &Path,
    output: &Path,
    options: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let expected = options.to.extensions();
    if !expected
        .iter()
        .any(|end| name.ends_with(end) && name.len() > end.len())
    {
        return Err(ConvertError::Extension {
            output: output.to_owned(),
            expected,
        });
    }
    let dataset = Dataset::open(input, &options.load)?;
    let warnings = checked(&dataset)?;
    let moved = Moved::between(&dataset, output, options.load.allow_outside_root)
        .map_err(|error| ConvertError::Io(output.to_owned(), error))?;
    let header = header_fields(&dataset, output, &moved)?;
    let inputs = Inputs::of(input);
    inputs.keep_apart(output)?;
    let mut files = Vec::new();
    if output.is_dir() {
        let error = std::io::ErrorKind::IsADirectory.into();
        return Err(ConvertError::Io(output.to_owned(), error));
    }
    // A link to nothing is there as well.
    if !options.force && std::fs::symlink_metadata(output).is_ok() {
        return Err(ConvertError::Exists(output.to_owned()));
    }
    let mut main = NewFile::create(output)?;
    let mut cases = match options.to {
        Conversion::Yaml => {
            let fields = Draft::Object(header.clone());
            if !header.is_empty() {
                main.write(&fields.to_yaml())?;
            }
            main.write("evalcases:\n")?;
            0
        }
        Conversion::Jsonl | Conversion::AgentMark => 0,
    };
    let mut losses = Vec::new();
    each_case(&dataset, |row| {
        let draft = match options.to {
            Conversion::Yaml | Conversion::Jsonl => rows::case_draft(row.node, &dataset, &moved)?,
            Conversion::AgentMark => {
                let (draft, lost) = agentmark::row_draft(row, &dataset, &moved)?;
                if !lost.is_empty() && !options.lossy {
                    losses.push(Loss {
                        line: row.line,
                        id: row.node.get("id").map(|id| id.text().into_owned()),
                        fields: lost,
                    });
                }
                draft
            }
        };
        if options.interrupted.load(Ordering::Relaxed) != 0 {
            return Err(ConvertError::Interrupted);
        }
        cases += 1;
        main.write(&match options.to {
            Conversion::Yaml => indented(&Draft::Array(vec![draft]).to_yaml()),
            Conversion::Jsonl | Conversion::AgentMark => draft.to_json() + "\n",
        })?;
        Ok(losses.len() < NAMED_LOSSES)
    })?;
    if !losses.is_empty() {
        return Err(ConvertError::Lossy(losses));
    }
    let sidecar = new_sidecar(output, &header, &inputs, options)?;
    finish(main, sidecar, options.force, &mut files)?;
    let beside = sidecar_path(output).filter(|path| inputs.contain(path));
    Ok(Converted {
        cases,
        files,
        served_by: beside.filter(|_| dataset.header().is_some_and(rows::has_dataset_fields)),
        warnings,
    })
}

/// Refuses an input with problems; gives its warnings otherwise.
fn checked(dataset: &Dataset) -> Result<Vec<Diagnostic>, ConvertError> {
    const NAMED: usize = 100;
    let mut problems = Vec::new();
    let mut warnings = Vec::new();
    dataset.check(&mut |diagnostic| {
        match diagnostic.severity() {
            Severity::Warning => warnings.push(diagnostic),
            Severity::Error | Severity::Fatal => problems.push(diagnostic),
        }
        if problems.len() >= NAMED {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if problems.is_empty() {
        Ok(warnings)
    } else {
        Err(ConvertError::Problems(problems))
    }
}

/// Calls `write` for every case until it answers that this is enough.
fn each_case(
    dataset: &Dataset,
    mut write: impl FnMut(&crate::format::WrittenRow<'_>) -> Result<bool, ConvertError>,
) -> Result<(), ConvertError> {
    let mut rows = dataset.source().rows().map_err(LoadError::from)?;
    while let Some(row) = rows.next() {
        match row {
            Row::Case(row) => {
                if !write(&row)? {
                    break;
                }
            }
            Row::Blank(_) => {}
            Row::Broken(diagnostic) => return Err(ConvertError::Problems(vec![diagnostic])),
        }
    }
    Ok(())
}

/// The dataset-level fields for the new place.
fn header_fields(
    dataset: &Dataset,
    output: &Path,
    moved: &Moved,
) -> Result<Vec<(String, Draft)>, ConvertError> {
    let mut fields = match dataset.header() {
        Some(header) => rows::header_draft(header, dataset, moved)?,
        None => Vec::new(),
    };
    // A dataset without a name is named after its file, and keeps that name.
    let new_name = FormatKind::of(output).map(|(_, base_name)| base_name);
    let has_name = fields
        .iter()
        .any(|(name, value)| name == "dataset" && *value != Draft::Null);
    if !has_name && new_name.as_deref() != Some(dataset.name()) {
        fields.retain(|(name, _)| name != "dataset");
        fields.insert(0, ("dataset".to_owned(), Draft::text(dataset.name())));
    }
    Ok(fields)
}

/// The sidecar that the output needs, if it needs one.
fn new_sidecar(
    output: &Path,
    header: &[(String, Draft)],
    inputs: &Inputs,
    options: &ConvertOptions,
) -> Result<Option<NewFile>, ConvertError> {
    let Some(path) = sidecar_path(output) else {
        return Ok(None);
    };
    if inputs.contain(&path) {
        // The input stands beside the output under its name, and serves it as a sidecar.
        return Ok(None);
    }
    let exists = std::fs::symlink_metadata(&path).is_ok();
    if header.is_empty() && !exists {
        return Ok(None);
    }
    if exists && !options.force {
        return Err(ConvertError::Exists(path));
    }
    if exists && !is_sidecar(&path) {
        return Err(ConvertError::NotASidecar(path));
    }
    let mut file = NewFile::create(&path)?;
    file.write(&Draft::Object(header.to_vec()).to_yaml())?;
    Ok(Some(file))
}

/// Whether a file holds dataset-level fields and nothing that would be missed.
fn is_sidecar(path: &Path) -> bool {
    let document = Document::open(path, &Arc::from(path.to_string_lossy()));
    document.is_ok_and(|document| document.root().get("evalcases").is_none())
}

/// The files that a conversion reads.
struct Inputs {
    files: Vec<PathBuf>,
}

impl Inputs {
    fn of(input: &Path) -> Inputs {
        let own = std::iter::once(input.to_owned()).chain(sidecar_path(input));
        Inputs {
            files: own
                .filter_map(|path| std::fs::canonicalize(path).ok())
                .collect(),
        }
    }

    fn contain(&self, path: &Path) -> bool {
        std::fs::canonicalize(path).is_ok_and(|path| self.files.contains(&path))
    }

    fn keep_apart(&self, output: &Path) -> Result<(), ConvertError> {
        if self.contain(output) {
            return Err(ConvertError::OwnInput(output.to_owned()));
        }
        Ok(())
    }
}

/// A list item, two spaces further in.
fn indented(yaml: &str) -> String {
    let lines = yaml.split_inclusive('\n');
    lines
        .map(|line| {
            if line == "\n" {
                line.to_owned()
            } else {
                format!("  {line}")
            }
        })
        .collect()
}
