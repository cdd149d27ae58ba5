//! References such as `${{ NAME }}`.

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    Text(&'t str),
    /// The name of a variable.
    Variable(&'t str),
}

/// Splits a text at its references. Something that only looks like a reference is text.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(start) = rest[from..].find("${{").map(|at| at + from) {
        let Some(length) = rest[start..].find("}}") else {
            break;
        };
        let name = rest[start + 3..start + length].trim();
        if name.is_empty() || name.contains('}') {
            from = start + 3;
            continue;
        }
        if start > 0 {
            pieces.push(Piece::Text(&rest[..start]));
        }
        pieces.push(Piece::Variable(name));
        rest = &rest[start + length + 2..];
        from = 0;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_and_what_only_looks_like_one_is_text() {
        use Piece::{Text, Variable};
        for (text, expected) in [
            ("${{ A }}", vec![Variable("A")]),
            ("${{A}}${{ B}}", vec![Variable("A"), Variable("B")]),
            ("a ${{ A }} b", vec![Text("a "), Variable("A"), Text(" b")]),
            ("${A} ${{ }} $", vec![Text("${A} ${{ }} $")]),
            ("${{ A", vec![Text("${{ A")]),
            ("${{ }} ${{ A }}", vec![Text("${{ }} "), Variable("A")]),
            ("", vec![]),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }
}
