//! A project in a private folder, and requests to its targets.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Provider, ProviderError, Request, Transcript};
use agentv_providers::{Environment, ResolvedTarget, Surroundings, TargetError, Targets};
use tokio_util::sync::CancellationToken;

/// The time after which a command or server counts as hanging.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) struct Project {
    folder: tempfile::TempDir,
    root: PathBuf,
}

impl Project {
    /// Creates a project with this `targets.yaml` and an empty folder `evals`.
    pub(crate) fn new(targets: &str) -> Project {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("evals")).unwrap();
        let project = Project { folder, root };
        project.write("targets.yaml", targets);
        project
    }

    /// Creates a project with one target called `t` that has these fields.
    pub(crate) fn of(fields: serde_json::Value) -> Project {
        let mut target = serde_json::json!({"name": "t"});
        let fields = fields.as_object().unwrap().clone();
        target.as_object_mut().unwrap().extend(fields);
        Project::new(&serde_json::json!({"targets": [target]}).to_string())
    }

    pub(crate) fn root(&self) -> &Path {
        assert!(self.folder.path().is_dir());
        &self.root
    }

    pub(crate) fn evals(&self) -> Arc<Path> {
        self.root().join("evals").into()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings {
            folder: self.evals().to_path_buf(),
            root: self.root().to_owned(),
            working_dir: self.root().to_owned(),
        }
    }

    pub(crate) fn targets(&self) -> Targets {
        let path = self.surroundings().targets_file().unwrap();
        Targets::read(&path, &Arc::from("targets.yaml"), &self.surroundings()).unwrap()
    }

    pub(crate) fn resolve(
        &self,
        name: &str,
        variables: &[(&str, &str)],
    ) -> Result<ResolvedTarget, TargetError> {
        let variables = variables.iter();
        let variables = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.targets().resolve(name, &Environment::new(variables))
    }

    /// Returns the provider of the target `t`.
    pub(crate) fn provider(&self) -> Arc<dyn Provider> {
        self.resolve("t", &[]).unwrap().target.provider
    }

    pub(crate) fn request(&self, id: &str, text: &str) -> Request {
        Request {
            eval_id: id.to_owned(),
            ..Request::of_text(text, self.evals(), DEADLINE)
        }
    }

    /// Asks the target `t`.
    pub(crate) fn ask(&self, text: &str) -> Result<Transcript, ProviderError> {
        self.answer(&self.request("case", text))
    }

    pub(crate) fn answer(&self, request: &Request) -> Result<Transcript, ProviderError> {
        let provider = self.provider();
        block_on(provider.answer(request, &CancellationToken::new()))
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { tokio::time::timeout(DEADLINE, future).await.unwrap() })
}
