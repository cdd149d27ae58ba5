//! Quoting of text for the shell.

use std::ffi::OsStr;

/// Quotes `text` as one word for a POSIX `sh`. The text may hold anything but NUL, which no argument
/// can hold.
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

/// Quotes a value that may not be text, such as a path. Bytes that cannot be typed or shown become
/// numbers for `printf`.
///
/// ```
/// use agentv_process::quote_os;
///
/// assert_eq!(quote_os("two words".as_ref()), "'two words'");
/// assert_eq!(quote_os("two\nlines".as_ref()), r#""$(printf 'two\012lines')""#);
/// ```
pub fn quote_os(text: &OsStr) -> String {
    match text.to_str() {
        // `$(printf …)` would drop a line break at the end.
        Some(plain) if !plain.contains(char::is_control) || plain.ends_with('\n') => quote(plain),
        _ => format!("\"$(printf {})\"", as_numbers(text.as_encoded_bytes())),
    }
}

/// Returns a quoted format of `printf` that prints the bytes.
fn as_numbers(bytes: &[u8]) -> String {
    let mut format = String::from("'");
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                // At the beginning it would be an option.
                '-' => format.push_str(r"\055"),
                '%' => format.push_str("%%"),
                '\\' => format.push_str(r"\\"),
                '\'' => format.push_str(r"'\''"),
                letter if letter.is_control() => {
                    let mut bytes = [0; 4];
                    let bytes = letter.encode_utf8(&mut bytes).bytes();
                    format.extend(bytes.map(|byte| format!(r"\{byte:03o}")));
                }
                letter => format.push(letter),
            }
        }
        let invalid = chunk.invalid().iter();
        format.extend(invalid.map(|byte| format!(r"\{byte:03o}")));
    }
    format.push('\'');
    format
}
