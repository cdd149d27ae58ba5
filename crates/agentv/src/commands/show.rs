//! `agentv show`: resolved cases.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

use agentv_dataset::{Dataset, Rules};
use agentv_syntax::{Draft, Severity, nearest};
use serde_json::Value;

use super::load_options;
use crate::arguments::{CaseFormat, ShowArguments};
use crate::diagnostics::Teller;
use crate::exit::{Exit, OutputError};
use crate::output;

pub(crate) fn run(arguments: &ShowArguments) -> Result<Exit, OutputError> {
    let options = load_options(&arguments.load, Rules::Agentv);
    let teller = Teller::for_loading();
    let dataset = match Dataset::open(&arguments.file, &options) {
        Ok(dataset) => dataset,
        Err(error) => {
            teller.tell_error(&error.diagnostic);
            return Ok(Exit::Unusable);
        }
    };
    let checked = dataset.check(&mut |diagnostic| {
        teller.tell_error(&diagnostic);
        match diagnostic.severity() {
            Severity::Fatal => ControlFlow::Break(()),
            Severity::Error | Severity::Warning => ControlFlow::Continue(()),
        }
    });
    if checked.fatal {
        return Ok(Exit::Unusable);
    }
    let cases = match dataset.cases(&checked) {
        Ok(cases) => cases,
        Err(error) => {
            teller.tell_error(&error.diagnostic);
            return Ok(Exit::Unusable);
        }
    };
    let mut printer = Printer {
        out: BufWriter::new(io::stdout().lock()),
        format: arguments.format,
        printed: 0,
    };
    let mut near: Option<String> = None;
    for case in cases {
        let case = match case {
            Ok(case) => case,
            Err(error) => {
                printer.out.flush()?;
                teller.tell_error(&error.diagnostic);
                return Ok(Exit::Unusable);
            }
        };
        match &arguments.id {
            None => printer.print(&case)?,
            Some(id) if *id == case.id => {
                printer.print(&case)?;
                break;
            }
            Some(id) => {
                if near.is_none() && nearest(id, [case.id.as_str()]).is_some() {
                    near = Some(case.id);
                }
            }
        }
    }
    printer.out.flush()?;
    match &arguments.id {
        Some(id) if printer.printed == 0 => {
            let message = format!("`{}` has no case `{id}`", arguments.file.display());
            let skipped = (checked.skipped > 0)
                .then(|| "cases that were skipped, see above, are not shown".to_owned());
            let hint = near
                .map(|near| format!("did you mean `{near}`?"))
                .or(skipped);
            output::error(&message, hint.as_deref());
            Ok(Exit::Unusable)
        }
        _ => Ok(Exit::Success),
    }
}

struct Printer<W: Write> {
    out: W,
    format: CaseFormat,
    printed: u64,
}

impl<W: Write> Printer<W> {
    fn print(&mut self, case: &agentv_core::EvalCase) -> io::Result<()> {
        match self.format {
            CaseFormat::Json => {
                serde_json::to_writer(&mut self.out, case)?;
                self.out.write_all(b"\n")?;
            }
            CaseFormat::Yaml => {
                if self.printed > 0 {
                    self.out.write_all(b"---\n")?;
                }
                let value: Value = serde_json::to_value(case)?;
                self.out
                    .write_all(Draft::from(&value).to_yaml().as_bytes())?;
            }
        }
        self.printed += 1;
        Ok(())
    }
}
