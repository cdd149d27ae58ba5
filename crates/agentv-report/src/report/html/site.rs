//! Pages of a site that any web server can deliver, or that are opened as files.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::block::{self, Blocks};
use super::facts::{Facts, RunFacts};
use super::page::FilePage;
use super::parts;
use super::sample::Sample;
use super::sources::Sources;
use crate::report::ReportFailure;
use crate::results::RunResults;

/// A link of a page to another: its address and its text.
pub type SiteLink = (String, String);

/// A page of the trials of one run, or of two side by side.
#[derive(Debug)]
pub struct TrialsPage<'a> {
    /// The runs.
    pub runs: &'a [RunResults],
    /// The largest number of trials of a run on the page.
    pub most_trials: usize,
    /// The folder of the page, if its trials are in files beside it. Such a page needs a web server.
    pub files: Option<&'a Path>,
    /// The links to other pages.
    pub links: &'a [SiteLink],
}

impl TrialsPage<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Fails if the runs cannot be read, or the page cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), ReportFailure> {
        let sources = self.runs.iter().map(Sources::of);
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let results = sources.iter().map(|source| &source.results);
        let sample = Sample::of(results, self.most_trials)?;
        let page = FilePage::trials(self.files.is_some());
        let mut blocks = self.files.map_or(Blocks::Inside, |folder| Blocks::Beside {
            folder: folder.to_owned(),
            written: 0,
        });
        page.write_head(out)?;
        let mut facts = Facts::default();
        for (index, source) in sources.iter().enumerate() {
            let whole = parts::write(source, index, &sample, &mut blocks, out)?;
            source.run.found_damaged(whole.damaged);
            facts.runs.push(RunFacts::of(source.run, whole));
        }
        blocks.write(out, "facts", &block::packed_json(&facts)?)?;
        if !self.links.is_empty() {
            let links = serde_json::to_string(self.links).unwrap_or_default();
            block::element(out, "links", "", &STANDARD.encode(links))?;
        }
        page.write_end(out)?;
        out.flush()?;
        Ok(())
    }
}

/// Writes a page of runs. `listed` has the fields `runs` (each with `id` and `lines`, and optionally the
/// address of its `page` and of the comparison with the run `before`), `folder`, and optionally `title`.
///
/// # Errors
/// Fails if the page cannot be written.
pub fn write_runs_page(listed: &impl Serialize, out: &mut dyn Write) -> std::io::Result<()> {
    let page = FilePage::runs();
    page.write_head(out)?;
    Blocks::Inside.write(out, "runs", &block::packed_json(listed)?)?;
    page.write_end(out)
}
