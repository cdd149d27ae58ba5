//! Assertions that a script decides.

use agentv_syntax::{NodeKind, Placed, PlacedField};

use super::assertions::Assertions;

/// Moves the command. Every other field is a setting of the script.
pub(super) fn code(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let command = item.take("command");
    if let Some(script) = command.or_else(|| item.take("script")) {
        ours.put_as("script", script);
    }
    item.take("script");
    if let Some(cwd) = item.take("cwd") {
        ours.put_as("cwd", cwd);
    }
    if let Some(target) = item.take("target") {
        ours.put_as("target", target);
    }
    if let Some(field) = item.take("preprocessors") {
        let instead = "let the script read the answer's files itself";
        of.notes.unsupported(&field.name, field.span, instead);
    }
    put_config(item, ours);
    put_protocol(ours);
    Some(())
}

/// Puts the settings of a script beside its options.
fn put_config(item: &mut Placed, ours: &mut Placed) {
    let Some(config) = item.take("config") else {
        return;
    };
    if config.value.kind() != NodeKind::Object {
        return ours.put_as("config", config);
    }
    for field in config.value.fields() {
        ours.put_as(field.name.clone(), field.clone());
    }
}

/// Makes the script receive the names that scripts of AgentV 4 know.
fn put_protocol(ours: &mut Placed) {
    let span = ours.span.clone();
    ours.put("protocol", span.clone(), Placed::text(span, "agentv-4"));
}

/// A script in `.agentv/assertions` that is a kind of assertion of its own.
pub(super) struct CustomKind {
    command: Vec<String>,
}

/// The programs that run scripts, by extension.
const INTERPRETERS: [(&str, &[&str]); 7] = [
    ("py", &["python3"]),
    ("js", &["node"]),
    ("mjs", &["node"]),
    ("sh", &["sh"]),
    ("rb", &["ruby"]),
    ("ts", &["bun", "run"]),
    ("mts", &["bun", "run"]),
];

impl Assertions<'_, '_> {
    /// Returns the script in `.agentv/assertions` of this name.
    pub(super) fn custom(&self, name: &str) -> Option<CustomKind> {
        let project = self.translation.files.project();
        if name.contains(['/', '\\', '.']) {
            return None;
        }
        project.folders().find_map(|folder| {
            let folder = folder.join(".agentv").join("assertions");
            INTERPRETERS.iter().find_map(|(extension, program)| {
                let file = folder.join(format!("{name}.{extension}"));
                let path = file
                    .is_file()
                    .then(|| file.to_string_lossy().into_owned())?;
                let program = program.iter().map(|word| (*word).to_owned());
                Some(CustomKind {
                    command: program.chain([path]).collect(),
                })
            })
        })
    }
}

impl CustomKind {
    /// Makes an assertion one that runs the script.
    pub(super) fn around(self, mut item: Placed) -> Placed {
        let own = Assertions::own_fields(&item);
        let span = item.given("type").map_or(0..0, |kind| kind.span.clone());
        let mut ours = Placed::map(item.span.clone());
        ours.put(
            "type",
            span.clone(),
            Placed::text(span.clone(), "code_judge"),
        );
        let name = item.given("type").cloned();
        for common in ["name", "weight", "required", "min_score", "negate"] {
            if let Some(field) = item.take(common) {
                ours.put_as(common, field);
            }
        }
        if let Some(name) = name.filter(|_| ours.given("name").is_none()) {
            ours.put("name", span.clone(), name);
        }
        let words = self.command.into_iter();
        let words = words.map(|word| Placed::text(span.clone(), word));
        let script = Placed::list(span.clone(), words.collect());
        ours.put("script", span, script);
        for PlacedField { name, span, value } in own {
            ours.put(name, span, value);
        }
        put_protocol(&mut ours);
        ours
    }
}
