//! The files of a run on a worker: fetched once by digest, and laid at their paths in a private folder.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use agentv_core::Digest;
use agentv_journal::{Access, AtomicFile};
use agentv_project::{NeededFile, NeededTree, TrialNeeds, WorkerSpec};
use agentv_runner::digest_of_file;
use async_nats::jetstream::object_store::ObjectStore;
use tokio::io::AsyncReadExt;
use tokio::sync::Mutex;

use super::joined_run::JoinedRun;
use crate::error::ClusterError;
use crate::platform::{make_link, make_private, make_readable};
use crate::tree::{TreeEntry, TreeManifest};

/// The files of a run on a worker.
pub(super) struct RunFiles {
    base: PathBuf,
    /// The files of all runs, by their digests.
    cache: PathBuf,
    laid: Mutex<HashSet<PathBuf>>,
}

/// The reason why a file cannot be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum FilesError {
    #[error(transparent)]
    Server(#[from] ClusterError),
    #[error("cannot write files: {0}")]
    Write(#[from] io::Error),
    #[error("a file arrived damaged")]
    Damaged,
    #[error("a file has a path outside of its project")]
    Outside,
}

impl From<FilesError> for super::joined_run::JoinError {
    fn from(error: FilesError) -> Self {
        match error {
            FilesError::Server(error) => Self::Server(error),
            FilesError::Write(error) => Self::Files(error),
            other => Self::Files(io::Error::other(other.to_string())),
        }
    }
}

impl RunFiles {
    /// Makes the folder of a run.
    pub(super) fn open(base: PathBuf, cache: PathBuf) -> io::Result<RunFiles> {
        fs::create_dir_all(&base)?;
        fs::create_dir_all(&cache)?;
        make_private(&base)?;
        make_private(&cache)?;
        Ok(RunFiles {
            base: base.canonicalize()?,
            cache,
            laid: Mutex::default(),
        })
    }

    /// Returns the folder that the projects of the run are in.
    pub(super) fn base(&self) -> &Path {
        &self.base
    }

    /// Removes the folder of the run. Files stay in the cache.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.base);
    }

    /// Lays a file at its path, unless it is there.
    pub(super) async fn lay(
        &self,
        objects: &ObjectStore,
        spec: &WorkerSpec,
        file: &NeededFile,
    ) -> Result<(), FilesError> {
        let place = inside(&spec.roots.folder(file.root, &self.base), &file.path)?;
        self.lay_at(objects, &file.digest, file.is_executable, place)
            .await
    }

    /// Lays the files that a trial needs.
    pub(super) async fn lay_needs(
        &self,
        run: &JoinedRun,
        needs: &TrialNeeds,
    ) -> Result<(), FilesError> {
        for file in &needs.files {
            self.lay(&run.objects, &run.spec, file).await?;
        }
        match &needs.tree {
            Some(tree) => self.lay_tree(run, tree).await,
            None => Ok(()),
        }
    }

    async fn lay_tree(&self, run: &JoinedRun, tree: &NeededTree) -> Result<(), FilesError> {
        let Some(workspaces) = &run.workspaces else {
            return Ok(());
        };
        let is_digest = tree.digest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_digest {
            return Err(FilesError::Outside);
        }
        let folder = self.base.join("trees").join(&tree.digest);
        if self.laid.lock().await.contains(&folder) {
            return Ok(());
        }
        let name = TreeManifest::name(&tree.digest);
        let manifest = read(&run.objects, &name).await?;
        let manifest: TreeManifest = serde_json::from_slice(&manifest)
            .map_err(ClusterError::server("describe a workspace"))?;
        fs::create_dir_all(&folder)?;
        for entry in &manifest.entries {
            match entry {
                TreeEntry::Folder { path } => fs::create_dir_all(inside(&folder, path)?)?,
                TreeEntry::Link { path, target } => {
                    let place = inside(&folder, path)?;
                    if place.symlink_metadata().is_err() {
                        make_link(target, &place)?;
                    }
                }
                TreeEntry::File {
                    path,
                    digest,
                    is_executable,
                } => {
                    let place = inside(&folder, path)?;
                    self.lay_at(&run.objects, digest, *is_executable, place)
                        .await?;
                }
            }
        }
        workspaces.provide(&tree.digest, folder.clone());
        self.laid.lock().await.insert(folder);
        Ok(())
    }

    async fn lay_at(
        &self,
        objects: &ObjectStore,
        digest: &str,
        is_executable: bool,
        place: PathBuf,
    ) -> Result<(), FilesError> {
        if self.laid.lock().await.contains(&place) {
            return Ok(());
        }
        let cached = self.fetch(objects, digest).await?;
        let mut laid = self.laid.lock().await;
        if laid.contains(&place) {
            return Ok(());
        }
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = AtomicFile::create(&place, Access::Umask)?;
        io::copy(&mut fs::File::open(&cached)?, &mut file)?;
        file.commit()?;
        make_readable(&place, is_executable)?;
        laid.insert(place);
        Ok(())
    }

    /// Returns the path of a file in the cache. Fetches it if it is not there.
    async fn fetch(&self, objects: &ObjectStore, digest: &str) -> Result<PathBuf, FilesError> {
        if !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(FilesError::Outside);
        }
        let cached = self.cache.join(digest);
        if cached.is_file() && digest_of_file(&cached)? == digest {
            return Ok(cached);
        }
        let bytes = read(objects, digest).await?;
        if Digest::of(&bytes).to_string() != digest {
            return Err(FilesError::Damaged);
        }
        let mut file = AtomicFile::create(&cached, Access::Owner)?;
        file.write_all(&bytes)?;
        file.commit()?;
        Ok(cached)
    }
}

/// Returns a path under a folder. Paths that lead out of it are refused.
fn inside(folder: &Path, path: &Path) -> Result<PathBuf, FilesError> {
    let is_plain = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
    if path.components().all(is_plain) {
        Ok(folder.join(path))
    } else {
        Err(FilesError::Outside)
    }
}

async fn read(objects: &ObjectStore, name: &str) -> Result<Vec<u8>, ClusterError> {
    let object = objects.get(name).await;
    let mut object = object.map_err(ClusterError::server("find a file of the run"))?;
    let mut bytes = Vec::new();
    let read = object.read_to_end(&mut bytes).await;
    read.map_err(ClusterError::server("send a file of the run"))?;
    Ok(bytes)
}
