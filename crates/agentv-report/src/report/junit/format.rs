//! The format `junit`.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use agentv_core::{ResultRecord, Status};
use agentv_journal::FileError;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};

use super::incomplete::Incomplete;
use super::skipped::Skipped;
use super::suite::Suite;
use super::trial::Naming;
use super::{trial, xml};
use crate::report::exchange::{Exchange, Exchanges};
use crate::report::{ReportFailure, ReportFormat};
use crate::results::RunResults;

pub(crate) const FORMAT: ReportFormat = ReportFormat {
    name: "junit",
    extension: "xml",
    doc: "For CI servers: one test suite per eval file, one test case per trial",
    most_runs: 1,
    write,
};

/// Writes the report in the schema of Jenkins' xUnit plugin, `junit-10.xsd`, the strictest one with
/// the output of test cases. No schema has properties of a test case, so details are in its
/// `system-out`, which Jenkins and GitLab show.
///
/// A suite begins with its totals. So the results are read twice: once for the totals and for the
/// offsets of each file's records, and again to write them. Nothing else is kept.
fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    let mut xml = Writer::new_with_indent(out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    for run in runs {
        write_run(run, &mut xml)?;
    }
    let out = xml.into_inner();
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

fn write_run(run: &RunResults, xml: &mut Writer<&mut dyn Write>) -> Result<(), ReportFailure> {
    let mut naming = Naming::default();
    let mut suites = suites(run, &mut naming)?;
    let trials = suites.iter().map(|(_, suite)| suite.trials()).sum();
    let skipped = |file: &str| skipped(run, file);
    for (file, suite) in &mut suites {
        suite.add_errors(skipped(file).map_or(0, Skipped::tests));
    }
    let mut all = Suite::default();
    suites.iter().for_each(|(_, suite)| all.join(suite));
    let incomplete = Incomplete::of(run, trials, all.outdated());
    all.add_errors(incomplete.len() as u64);
    let name = format!("agentv {}", run.name());
    xml::start(xml, "testsuites", &all.attributes(&name))?;
    for (file, suite) in &suites {
        suite.start(xml, file, run.name())?;
        write_trials(run, suite, &naming, xml)?;
        if let Some(skipped) = skipped(file) {
            skipped.write(xml)?;
        }
        xml::end(xml, "testsuite")?;
    }
    for incomplete in incomplete {
        incomplete.write(xml)?;
    }
    xml::end(xml, "testsuites")?;
    Ok(())
}

/// Returns a suite for each file that was run or has results, in the order of the run.
fn suites(run: &RunResults, naming: &mut Naming) -> Result<Vec<(Arc<str>, Suite)>, FileError> {
    let files = run.run().into_iter().flat_map(|run| &run.files);
    let empty = files.map(|file| (Arc::from(&*file.path), Suite::default()));
    let mut suites: Vec<(Arc<str>, Suite)> = empty.collect();
    let places = suites.iter().enumerate();
    let mut places: HashMap<Arc<str>, usize> = places
        .map(|(at, (file, _))| (Arc::clone(file), at))
        .collect();
    run.each_in_file_order(&mut |record| {
        naming.add(&record.value);
        let file = &record.value.eval_file;
        let at = *places.entry(Arc::clone(file)).or_insert_with(|| {
            suites.push((Arc::clone(file), Suite::default()));
            suites.len() - 1
        });
        suites[at].1.add(&record.value, record.offset);
    })?;
    Ok(suites)
}

/// Returns the skipped cases of an eval file.
fn skipped<'r>(run: &'r RunResults, file: &str) -> Option<Skipped<'r>> {
    let files = run.run().into_iter().flat_map(|run| &run.files);
    let mut of_file = files.filter(|ran| ran.path == file);
    of_file.next().map(Skipped::of)
}

fn write_trials(
    run: &RunResults,
    suite: &Suite,
    naming: &Naming,
    xml: &mut Writer<&mut dyn Write>,
) -> Result<(), ReportFailure> {
    // A run without results may have no results file.
    if !suite.places().is_empty() {
        let mut records = run.at()?;
        let mut exchanges = Exchanges::of(run)?;
        for offset in suite.places() {
            let record = records.get::<ResultRecord>(*offset)?.value;
            let exchange = match record.status {
                Status::Pass | Status::Ungraded => Exchange::default(),
                Status::Fail | Status::Borderline | Status::Error => exchanges.get(&record)?,
            };
            trial::write(xml, &record, &exchange, naming)?;
        }
    }
    Ok(())
}
