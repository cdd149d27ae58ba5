//! The cases and targets of a document, for its outline.

use agentv_dataset::FileRole;
use gen_lsp_types::{DocumentSymbol, Position, Range, SymbolKind};

use super::case_rows::case_rows;
use super::context::Context;
use crate::loose::LooseTree;

/// Returns the cases of an eval file, or the targets of a targets file.
pub(crate) fn symbols(context: &Context<'_>) -> Vec<DocumentSymbol> {
    match context.role {
        FileRole::EvalFile => cases(context),
        FileRole::Targets => targets(context),
        FileRole::Sidecar | FileRole::Config => Vec::new(),
    }
}

fn symbol(name: String, kind: SymbolKind, range: Range, selection_range: Range) -> DocumentSymbol {
    // An editor refuses a symbol without a name.
    let name = if name.is_empty() {
        "?".to_owned()
    } else {
        name
    };
    #[expect(deprecated, reason = "the type has no other constructor")]
    DocumentSymbol {
        name,
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: None,
    }
}

fn cases(context: &Context<'_>) -> Vec<DocumentSymbol> {
    let rows = case_rows(context);
    let last = context
        .encoding
        .position(context.text(), context.text().len());
    let ends = rows.iter().skip(1).map(|row| row.line);
    let ends: Vec<Position> = ends
        .map(|line| Position { line, character: 0 })
        .chain([last])
        .collect();
    let symbols = rows.into_iter().zip(ends).map(|(row, end)| {
        let start = Position {
            line: row.line,
            character: 0,
        };
        let range = Range {
            start,
            end: end.max(start),
        };
        let first_line = Range { start, end: start };
        symbol(row.id, SymbolKind::Function, range, first_line)
    });
    symbols.collect()
}

fn targets(context: &Context<'_>) -> Vec<DocumentSymbol> {
    let text = context.text();
    let tree = LooseTree::of_yaml(text);
    let targets = tree.root.get("targets").into_iter();
    let targets = targets.flat_map(|targets| targets.items());
    let symbols = targets.filter_map(|target| {
        let name = target.get("name")?;
        let range = context.encoding.range(text, &target.span);
        let selection = context.encoding.range(text, &name.inner());
        Some(symbol(
            name.text()?.to_owned(),
            SymbolKind::Object,
            range,
            selection,
        ))
    });
    symbols.collect()
}
