//! Any text as one word of a shell line.

/// `text` as one word for a POSIX `sh`, whatever is in it but NUL, which no argument can hold.
///
/// ```
/// use agentv_process::quote;
///
/// assert_eq!(quote("src/main.rs"), "src/main.rs");
/// assert_eq!(quote("two words"), "'two words'");
/// assert_eq!(quote("it's"), r"'it'\''s'");
/// assert_eq!(quote(""), "''");
/// ```
pub fn quote(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for (index, part) in text.split('\'').enumerate() {
        if index > 0 {
            quoted.push_str(r"'\''");
        }
        quoted.push_str(part);
    }
    quoted.push('\'');
    quoted
}
