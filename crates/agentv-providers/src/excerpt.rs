//! The beginning of a foreign text, for an error message.

/// The most characters of an excerpt.
pub(crate) const LONGEST: usize = 300;

/// Returns the beginning of a text on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut left = LONGEST;
    for word in text.split_whitespace() {
        let space = (!shown.is_empty()).then_some(' ');
        for character in space.into_iter().chain(word.chars()) {
            if left == 0 {
                shown.push('…');
                return shown;
            }
            // Control characters could move the cursor or colour the terminal.
            shown.push(if character.is_control() {
                '�'
            } else {
                character
            });
            left -= 1;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_and_control_characters_are_not_repeated() {
        let long = "ä ".repeat(1_000_000);
        let cut = excerpt(&long);
        assert_eq!(cut.chars().count(), LONGEST + 1);
        assert!(cut.ends_with('…'));
        assert_eq!(excerpt("a\u{1b}[31mb"), "a�[31mb");
    }
}
