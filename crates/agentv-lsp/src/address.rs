//! Converts between paths and the addresses that editors use.

use std::path::{Path, PathBuf};

use gen_lsp_types::Uri;

/// Returns the path of a file by its address; `None` for anything that is not a file.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix("file://")?;
    // An address may name this machine.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = percent_decoded(path)?;
    if cfg!(windows) {
        let path = decoded.strip_prefix('/').unwrap_or(&decoded);
        return Some(PathBuf::from(path.replace('/', "\\")));
    }
    Some(PathBuf::from(decoded))
}

/// Returns the address of a file.
pub(crate) fn uri_of(path: &Path) -> Uri {
    let mut address = "file://".to_owned();
    let text = path.to_string_lossy();
    let text = if cfg!(windows) {
        format!("/{}", text.replace('\\', "/"))
    } else {
        text.into_owned()
    };
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        if is_plain {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    Uri(address)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_becomes_an_address_and_back() {
        for path in ["/a/b.yaml", "/with space/ä%20.jsonl", "/a+b/#1?.yaml"] {
            let path = Path::new(path);
            assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
        }
        assert_eq!(path_of(&Uri("untitled:Untitled-1".to_owned())), None);
    }
}
