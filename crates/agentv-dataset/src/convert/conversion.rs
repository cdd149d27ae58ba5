//! Reads one eval file and writes it in another format.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;

use agentv_syntax::{Diagnostic, Draft, Severity};

use super::error::{ConvertError, Loss};
use super::options::{Conversion, ConvertOptions, Converted};
use super::paths::Moved;
use super::sidecar::{Inputs, header_fields, new_sidecar};
use super::write::{NewFile, finish};
use super::{agentmark, comments, rows};
use crate::case::Fields;
use crate::dataset::{Checked, Dataset, sidecar_path};
use crate::format::{Row, WrittenRow};
use crate::ids::{Assigned, IdAssigner, RowId};
use crate::load::LoadError;

/// Number of cases that are named if fields would be lost.
const NAMED_LOSSES: usize = 20;

/// Converts `input` and writes the result to `output`, with a sidecar if there are dataset-level fields.
/// Everything is written to temporary files and renamed at the end.
///
/// # Errors
/// Fails if the input has problems, the output may not be written, or fields would be lost; then
/// nothing is left behind.
pub fn convert(
    input: &Path,
    output: &Path,
    options: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    check_extension(output, options.to)?;
    if input
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        return super::json_array::convert(input, output, options);
    }
    let dataset = Dataset::open(input, &options.load)?;
    // A comment can say what is omitted.
    let omits = options.to == Conversion::Yaml && dataset.is_translated();
    let (checked, warnings) = checked(&dataset, omits)?;
    let moved = Moved::between(&dataset, output, options.load.allow_outside_root)
        .map_err(|error| ConvertError::Io(output.to_owned(), error))?;
    let header = header_fields(&dataset, output, &moved)?;
    let inputs = Inputs::of(input);
    inputs.keep_apart(output)?;
    check_place(output, options.force)?;
    let mut main = NewFile::create(output)?;
    if options.to == Conversion::Yaml {
        main.write(&comments::of_suite(&dataset, &options.comments))?;
        if !header.is_empty() {
            main.write(&Draft::Object(header.clone()).to_yaml())?;
        }
        main.write("evalcases:\n")?;
    }
    let cases = write_cases(&dataset, &checked, &moved, options, &mut main)?;
    let sidecar = new_sidecar(output, &header, &inputs, &dataset, options)?;
    let mut files = Vec::new();
    finish(main, sidecar, options.force, &mut files)?;
    let beside = sidecar_path(output).filter(|path| inputs.contain(path));
    Ok(Converted {
        cases,
        files,
        served_by: beside.filter(|_| dataset.header().is_some_and(rows::has_dataset_fields)),
        warnings,
    })
}

fn check_extension(output: &Path, to: Conversion) -> Result<(), ConvertError> {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let expected = to.extensions();
    let fits = |end: &&str| name.ends_with(end) && name.len() > end.len();
    if expected.iter().any(fits) {
        return Ok(());
    }
    Err(ConvertError::Extension {
        output: output.to_owned(),
        expected,
    })
}

pub(super) fn check_place(output: &Path, force: bool) -> Result<(), ConvertError> {
    if output.is_dir() {
        let error = std::io::ErrorKind::IsADirectory.into();
        return Err(ConvertError::Io(output.to_owned(), error));
    }
    // A broken link exists as well.
    if !force && std::fs::symlink_metadata(output).is_ok() {
        return Err(ConvertError::Exists(output.to_owned()));
    }
    Ok(())
}

/// Writes every case, and returns their number.
fn write_cases(
    dataset: &Dataset,
    checked: &Checked,
    moved: &Moved,
    options: &ConvertOptions,
    main: &mut NewFile,
) -> Result<u64, ConvertError> {
    let mut cases = 0;
    let mut losses = Vec::new();
    let mut ids = MadeIds::of(dataset, checked);
    each_case(dataset, |row| {
        if options.interrupted.load(Ordering::Relaxed) != 0 {
            return Err(ConvertError::Interrupted);
        }
        let draft = match options.to {
            Conversion::Yaml | Conversion::Jsonl => {
                rows::case_draft(row.node, ids.next(row), dataset, moved)?
            }
            Conversion::AgentMark => {
                let (draft, lost) = agentmark::row_draft(row, dataset, moved)?;
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
        cases += 1;
        main.write(&match options.to {
            Conversion::Yaml => {
                let case = Draft::Array(vec![draft]).to_yaml();
                comments::of_case(row) + &indented(&case)
            }
            Conversion::Jsonl | Conversion::AgentMark => draft.to_json() + "\n",
        })?;
        Ok(losses.len() < NAMED_LOSSES)
    })?;
    if losses.is_empty() {
        Ok(cases)
    } else {
        Err(ConvertError::Lossy(losses))
    }
}

/// The ids of cases that get one from their input.
struct MadeIds<'d> {
    dataset: &'d Dataset,
    assigner: IdAssigner<'d>,
}

impl<'d> MadeIds<'d> {
    fn of(dataset: &'d Dataset, checked: &'d Checked) -> MadeIds<'d> {
        MadeIds {
            dataset,
            assigner: IdAssigner::new(checked.ids()),
        }
    }

    /// Returns the id of the next case, if it has none of its own and is not an AgentMark row.
    fn next(&mut self, row: &WrittenRow<'_>) -> Option<String> {
        let fields = Fields::of(row.node);
        if !self.dataset.is_mapped() || fields.is_row() {
            return None;
        }
        let id = RowId::of(&fields, true)?.at(0);
        let assigned = self.assigner.assign(&id, row.line);
        match assigned {
            Assigned::Id(assigned) => fields.id.is_none().then_some(assigned),
            Assigned::Taken { .. } => None,
        }
    }
}

/// Refuses an input with problems; returns its warnings otherwise. If `omits`, constructs without a counterpart
/// are omitted, with a warning.
fn checked(dataset: &Dataset, omits: bool) -> Result<(Checked, Vec<Diagnostic>), ConvertError> {
    const NAMED: usize = 100;
    let mut problems = Vec::new();
    let mut warnings = Vec::new();
    let checked = dataset.check(&mut |diagnostic| {
        match diagnostic.severity() {
            Severity::Warning => warnings.push(diagnostic),
            Severity::Error | Severity::Fatal if omits && comments::is_omitted(&diagnostic) => {
                warnings.push(diagnostic);
            }
            Severity::Error | Severity::Fatal => problems.push(diagnostic),
        }
        if problems.len() >= NAMED {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if problems.is_empty() {
        Ok((checked, warnings))
    } else {
        Err(ConvertError::Problems(problems))
    }
}

/// Calls `write` for every case until it returns `Break`.
fn each_case(
    dataset: &Dataset,
    mut write: impl FnMut(&WrittenRow<'_>) -> Result<bool, ConvertError>,
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

/// Returns a list item, indented by two more spaces.
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
