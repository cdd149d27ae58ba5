//! The tags of runs.

/// Returns tags in their order, each once.
pub(crate) fn each_once<'a>(tags: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for tag in tags {
        if !found.contains(tag) {
            found.push(tag.clone());
        }
    }
    found
}
