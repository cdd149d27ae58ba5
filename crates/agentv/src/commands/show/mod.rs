//! `agentv show`: resolved cases, and the results of a run.

mod printer;
mod results;

use std::io::Write;
use std::ops::ControlFlow;

use agentv_dataset::Dataset;
use agentv_project::Project;
use agentv_syntax::{Severity, nearest};

use crate::arguments::ShowArguments;
use crate::diagnostics::Teller;
use crate::exit::{CommandError, Exit};
use crate::output;
use printer::Printer;

pub(crate) fn run(arguments: &ShowArguments) -> Result<Exit, CommandError> {
    if arguments.file.join("run.json").is_file() {
        return results::show(arguments);
    }
    let options = arguments.load.options(&Project::here());
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
    let mut printer = Printer::new(output::stdout(), arguments.format);
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
