//! The files of a run, stored by digest for its workers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use agentv_project::{NeededFile, NeededTree, RunNeeds, TrialNeeds};
use async_nats::jetstream::object_store::ObjectStore;
use tokio::sync::OnceCell;

use crate::error::ClusterError;
use crate::tree::{TreeEntry, TreeManifest, entries_of};

/// The objects that were stored so far.
#[derive(Default)]
pub(super) struct FileStore {
    stored: Mutex<HashMap<String, Arc<OnceCell<()>>>>,
}

impl FileStore {
    /// Stores the files that a trial needs, unless they were stored before.
    pub(super) async fn put_needs(
        &self,
        objects: &ObjectStore,
        needs: &RunNeeds,
        of_trial: &TrialNeeds,
    ) -> Result<(), ClusterError> {
        for file in &of_trial.files {
            self.put_file(objects, needs, file).await?;
        }
        if let Some(tree) = &of_trial.tree {
            self.put_tree(objects, needs, tree).await?;
        }
        Ok(())
    }

    /// Stores a file, unless it was stored before.
    pub(super) async fn put_file(
        &self,
        objects: &ObjectStore,
        needs: &RunNeeds,
        file: &NeededFile,
    ) -> Result<(), ClusterError> {
        let path = needs.path_of(file);
        self.put_path(objects, &file.digest, &path).await
    }

    async fn put_tree(
        &self,
        objects: &ObjectStore,
        needs: &RunNeeds,
        tree: &NeededTree,
    ) -> Result<(), ClusterError> {
        let Some(folder) = needs.folder_of(tree) else {
            return Ok(());
        };
        let name = TreeManifest::name(&tree.digest);
        let cell = self.cell(&name);
        let storing = cell.get_or_try_init(|| async {
            let walked = folder.clone();
            let entries = tokio::task::spawn_blocking(move || entries_of(&walked)).await;
            let entries = entries.map_err(ClusterError::server("read the workspace"))?;
            let entries = entries.map_err(ClusterError::server("read the workspace"))?;
            for entry in &entries {
                if let TreeEntry::File { path, digest, .. } = entry {
                    self.put_path(objects, digest, &folder.join(path)).await?;
                }
            }
            let manifest = serde_json::to_vec(&TreeManifest { entries });
            let manifest = manifest.map_err(ClusterError::server("encode a workspace"))?;
            put(objects, &name, &mut manifest.as_slice()).await
        });
        storing.await.copied()
    }

    async fn put_path(
        &self,
        objects: &ObjectStore,
        digest: &str,
        path: &Path,
    ) -> Result<(), ClusterError> {
        let cell = self.cell(digest);
        let storing = cell.get_or_try_init(|| async {
            let file = tokio::fs::File::open(path).await;
            let mut file = file.map_err(ClusterError::server("get a file of the project"))?;
            put(objects, digest, &mut file).await
        });
        storing.await.copied()
    }

    fn cell(&self, name: &str) -> Arc<OnceCell<()>> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(stored.entry(name.to_owned()).or_default())
    }
}

/// Stores an object.
pub(super) async fn put(
    objects: &ObjectStore,
    name: &str,
    content: &mut (impl tokio::io::AsyncRead + Unpin),
) -> Result<(), ClusterError> {
    let stored = objects.put(name, content).await;
    stored
        .map(|_| ())
        .map_err(ClusterError::server("store a file"))
}
