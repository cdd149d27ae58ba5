//! A suite that defines targets of its own.

use std::path::Path;
use std::sync::Arc;

use agentv_dataset::Dataset;
use agentv_providers::{SuiteProviders, Targets};

/// A suite that defines targets of its own.
#[derive(Clone, Copy)]
pub(crate) struct OpenSuite<'a> {
    /// The path, as the user knows it.
    pub(crate) path: &'a Path,
    providers: &'a agentv_dataset::SuiteProviders,
}

impl<'a> OpenSuite<'a> {
    /// Returns the suite of a dataset, if it defines targets.
    pub(crate) fn of(dataset: &'a Dataset, path: &'a Path) -> Option<OpenSuite<'a>> {
        let providers = dataset.suite_providers()?;
        Some(OpenSuite { path, providers })
    }

    /// Adds its targets, which are found from `folder`.
    pub(crate) fn add_to(self, targets: &mut Targets, folder: &Path) {
        let file: Arc<str> = self.path.to_string_lossy().into();
        let providers = SuiteProviders {
            file: &file,
            source: &self.providers.source,
            list: &self.providers.list,
        };
        targets.add_suite(providers, folder);
    }
}
