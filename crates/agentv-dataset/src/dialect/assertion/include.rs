//! Lists of assertions in files of their own.

use std::path::{Path, PathBuf};

use agentv_syntax::{Code, NodeKind, Placed, Problem};

use super::assertions::Assertions;

/// The most files that include each other.
const DEEPEST: usize = 3;

impl Assertions<'_, '_> {
    /// Returns the assertions of a list, with those of included files in their place.
    pub(super) fn with_includes(&mut self, list: &Placed) -> Vec<Placed> {
        let mut items = Vec::new();
        for item in list.items() {
            match item.given("include").filter(|_| item.fields().len() == 1) {
                Some(reference) => items.append(&mut self.included(&reference.clone())),
                None => items.push(item.clone()),
            }
        }
        items
    }

    fn included(&mut self, reference: &Placed) -> Vec<Placed> {
        let Some(name) = reference.as_str().map(str::to_owned) else {
            self.notes
                .wrong_type(reference, "the name of a file with assertions");
            return Vec::new();
        };
        let refused = match self.file_of(&name) {
            None => Some((Code::FileNotFound, format!("`{name}` does not exist"))),
            Some(file) if self.included.contains(&file) => {
                Some((Code::Unsupported, format!("`{name}` includes itself")))
            }
            Some(_) if self.included.len() >= DEEPEST => {
                let message = format!("`{name}` is included more than {DEEPEST} levels deep");
                Some((Code::Unsupported, message))
            }
            Some(file) => return self.assertions_of(file, reference),
        };
        if let Some((code, message)) = refused {
            let problem = Problem::error(code, reference.span.clone(), message);
            self.notes.0.push(problem);
        }
        Vec::new()
    }

    /// Returns the file that a name means: one of `.agentv/templates`, or a path.
    fn file_of(&self, name: &str) -> Option<PathBuf> {
        let project = self.translation.files.project();
        let is_path = name.starts_with('.') || name.contains('/');
        let names = if is_path {
            vec![PathBuf::from(name)]
        } else {
            let templates = Path::new(".agentv").join("templates");
            let names = ["yaml", "yml"].map(|end| templates.join(format!("{name}.{end}")));
            names.into()
        };
        let last = self.included.last().and_then(|file| file.parent());
        let mut folders = last.into_iter().chain(project.folders());
        let found = folders.find_map(|folder| {
            let mut files = names.iter().map(|name| folder.join(name));
            files.find(|file| file.is_file())
        });
        let found = std::fs::canonicalize(found?).ok()?;
        found.starts_with(&project.root).then_some(found)
    }

    fn assertions_of(&mut self, file: PathBuf, reference: &Placed) -> Vec<Placed> {
        let Some(content) = self.translation.read(&file, reference) else {
            return Vec::new();
        };
        let list = content
            .given("assertions")
            .or_else(|| content.given("assert"));
        let Some(list) = list.filter(|list| list.kind() == NodeKind::Array) else {
            self.notes
                .wrong_type(&content, "a mapping with an array `assertions`");
            return Vec::new();
        };
        self.included.push(file);
        let items = self.with_includes(list);
        self.included.pop();
        items
    }
}
