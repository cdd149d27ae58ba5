//! Decodes the content of files as text.

use std::borrow::Cow;

/// The characters that Windows has in place of the control characters 0x80 to 0x9f of Latin-1. A zero marks
/// bytes without a meaning.
const OF_WINDOWS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// Returns the bytes as a text, unless they are something else. A text is UTF-8 without a NUL. Other bytes are
/// Latin-1, as Windows writes it, if they have no control characters but those of texts.
pub(crate) fn decoded(bytes: &[u8]) -> Option<Cow<'_, str>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => (!text.contains('\0')).then_some(Cow::Borrowed(text)),
        Err(_) => latin_1(bytes).map(Cow::Owned),
    }
}

fn latin_1(bytes: &[u8]) -> Option<String> {
    let letters = bytes.iter().map(|byte| match byte {
        b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0x20..=0x7e => Some(char::from(*byte)),
        0x80..=0x9f => Some(OF_WINDOWS[usize::from(byte - 0x80)]).filter(|letter| *letter != '\0'),
        0xa0.. => Some(char::from(*byte)),
        _ => None,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_utf8_or_latin_1() {
        assert_eq!(decoded("Grüße\n".as_bytes()).as_deref(), Some("Grüße\n"));
        assert_eq!(decoded(b"Gr\xfc\xdfe\n").as_deref(), Some("Grüße\n"));
        assert_eq!(decoded(b"\x93ja\x94 5 \x80").as_deref(), Some("“ja” 5 €"));
        for bytes in [
            &b"a\0b"[..],
            b"\xff\xfea\0",
            b"\x89PNG\r\n\x1a\n",
            b"\xfc\x81",
        ] {
            assert_eq!(decoded(bytes), None, "{bytes:?}");
        }
    }
}
