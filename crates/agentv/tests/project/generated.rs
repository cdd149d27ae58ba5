//! Files that are generated from definitions in the code are up to date.
//!
//! `GENERATE=1` writes them.

use std::fmt::Write as _;
use std::fs;

use agentv_syntax::{Code, Field, Form, Kind, Record, Registry, Shape};

use crate::{printed, repository};

fn is_current(path: &str, content: &str) {
    let path = repository().join(path);
    if std::env::var_os("GENERATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == content,
        "{} is not current: run ./generate",
        path.display()
    );
}

#[test]
fn generated_schemas_are_current() {
    for name in [
        "eval",
        "sidecar",
        "targets",
        "config",
        "agentv-4",
        "agentv-5",
        "promptfoo",
    ] {
        let path = format!("schemas/{name}.schema.json");
        is_current(&path, &printed(&["schema", name]));
    }
}

#[test]
fn generated_page_of_diagnostics_is_current() {
    let mut page = String::from(
        "# Diagnostics\n\nEvery problem has a code, and the meaning of a code never changes. Codes that start with \
         `E` are errors,\nthose that start with `W` are warnings. Commands that use the cases, such as `run` and \
         `show`, skip a case\nthat has an error and use the others, unless the table says that no case in the file is \
         run.\n\n\
         | code | meaning |\n|---|---|\n",
    );
    for code in Code::ALL {
        let words: Vec<&str> = code.explanation().split_whitespace().collect();
        writeln!(page, "| `{code}` | {} |", words.join(" ")).unwrap();
    }
    is_current("docs/reference/diagnostics.md", &page);
}

#[test]
fn generated_page_of_evaluators_is_current() {
    let introduction = "An evaluator is an object in `evaluators`. Its `type` names the kind of evaluator. If you \
                        set only one\noption, you can use the short form: `- contains: Paris` means \
                        `- {type: contains, value: Paris}`.";
    let example = agentv_evaluators::example;
    let page = registry_page(
        "Evaluators",
        introduction,
        &agentv_evaluators::REGISTRY,
        example,
    );
    is_current("docs/reference/evaluators.md", &page);
}

#[test]
fn generated_page_of_targets_is_current() {
    let introduction = "A target is an entry of `targets` in `targets.yaml`. `${{ NAME }}` in a value inserts an \
                        environment\nvariable. Names of options are snake_case; camelCase is accepted, too.";
    let example = agentv_providers::example;
    let page = registry_page(
        "Targets",
        introduction,
        &agentv_providers::REGISTRY,
        example,
    );
    is_current("docs/reference/targets.md", &page);
}

fn registry_page(
    title: &str,
    introduction: &str,
    registry: &Registry,
    example: impl Fn(&str) -> Option<&'static str>,
) -> String {
    let mut page = format!("# {title}\n\n{introduction}\n\n## Common options\n\n");
    options(&mut page, registry.common.fields, registry.common.required);
    for kind in registry.kinds {
        section(&mut page, kind);
        if let Some(example) = example(kind.name) {
            write!(page, "\nExample:\n\n```yaml\n{}\n```\n", example.trim()).unwrap();
        }
    }
    page
}

fn section(page: &mut String, kind: &Kind) {
    write!(page, "\n## `{}`\n\n{}\n", kind.name, kind.doc).unwrap();
    if !kind.aliases.is_empty() {
        let names: Vec<_> = kind
            .aliases
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        write!(page, "\nAlso called {}.\n", names.join(", ")).unwrap();
    }
    if let Some(option) = kind.shorthand {
        write!(
            page,
            "\nShort form: `- {}: …` sets `{option}`.\n",
            kind.name
        )
        .unwrap();
    }
    if !kind.options.fields.is_empty() {
        page.push('\n');
        options(page, kind.options.fields, kind.options.required);
    }
    nested(page, "", kind.options.fields);
}

/// Writes the options of the objects that options take.
fn nested(page: &mut String, path: &str, fields: &[Field]) {
    for field in fields {
        let path = format!("{path}{}", field.name);
        for record in objects(field.shape) {
            write!(page, "\nOptions of `{path}`:\n\n").unwrap();
            options(page, record.fields, record.required);
            nested(page, &format!("{path}."), record.fields);
        }
    }
}

/// Returns the objects that a value of this shape can be or contain.
fn objects(shape: &'static Shape) -> Vec<&'static Record> {
    let forms = shape.forms.iter().map(Form::written);
    let objects = forms.flat_map(|form| match form {
        Form::Record(record) => vec![*record],
        Form::List { items, .. } => objects(items),
        Form::Map(values) => objects(values),
        Form::Any
        | Form::Bool
        | Form::Number { .. }
        | Form::Text(_)
        | Form::Evaluator
        | Form::Target
        | Form::Refused { .. }
        | Form::Checked { .. } => Vec::new(),
    });
    objects.collect()
}

fn options(page: &mut String, fields: &[Field], required: &[&[&str]]) {
    page.push_str("| option | value | meaning |\n|---|---|---|\n");
    for field in fields {
        let group = required.iter().find(|group| group.contains(&field.name));
        let needed = match group {
            Some([_]) => ", required".to_owned(),
            Some(group) => format!("; at least one of `{}` is required", group.join("`, `")),
            None => String::new(),
        };
        let expected = field.shape.expected.replace('|', "\\|");
        let doc = field.doc.replace('|', "\\|");
        writeln!(page, "| `{}` | {expected}{needed} | {doc} |", field.name).unwrap();
    }
}
