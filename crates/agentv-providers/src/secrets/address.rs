//! The secret parts of addresses: passwords, and parameters with secret names.

use agentv_core::Secrets;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::Url;

/// Returns the passwords and secret parameters of the addresses in a text, in every form in which they
/// are sent.
pub(super) fn passwords(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let (user, password) = user_info(&text[at + mark.len()..]);
        add_password(user, password, &mut parts);
    }
    if let Some(url) = Url::parse(text).ok().filter(Url::has_host) {
        // The form that a client sends.
        add_password(
            url.username(),
            url.password().unwrap_or_default(),
            &mut parts,
        );
        add_parameters(&url, &mut parts);
    }
    parts
}

/// Returns the user and the password at the beginning of `rest`, as they are written. The server, or
/// several, follow the last `@`.
fn user_info(rest: &str) -> (&str, &str) {
    let end = rest.find(|letter: char| matches!(letter, '/' | '?' | '#') || letter.is_whitespace());
    let authority = &rest[..end.unwrap_or(rest.len())];
    let user_info = authority.rsplit_once('@').map(|(before, _)| before);
    user_info
        .and_then(|user_info| user_info.split_once(':'))
        .unwrap_or_default()
}

fn add_password(user: &str, password: &str, parts: &mut Vec<String>) {
    if password.is_empty() {
        return;
    }
    let (user, plain) = (decoded(user), decoded(password));
    parts.push(BASE64_STANDARD.encode(format!("{user}:{plain}")));
    // `postgres:postgres` is no secret, and the word occurs in many answers.
    if plain != user {
        parts.push(password.to_owned());
        parts.push(plain);
    }
}

/// Returns the parts behind the servers in a text that look secret, such as the last part of a webhook's
/// address, and the users that do.
pub(super) fn secret_segments(text: &str) -> Vec<String> {
    let addresses = text.match_indices("://");
    let segments = addresses.flat_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let address = rest.split_whitespace().next().unwrap_or_default();
        let (authority, path) = address.split_once('/').unwrap_or((address, ""));
        let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
        path.split(['/', '?', '&', '=', '#', ',']).chain([user])
    });
    let secret =
        segments.filter(|segment| !segment.contains(':') && Secrets::looks_secret(segment));
    secret.map(str::to_owned).collect()
}

fn add_parameters(url: &Url, parts: &mut Vec<String>) {
    let decoded = url.query_pairs();
    let secret = decoded.filter(|(name, _)| Secrets::is_secret_name(name));
    parts.extend(secret.map(|(_, value)| value.into_owned()));
    let written = url.query().unwrap_or_default().split('&');
    let written = written.filter_map(|pair| pair.split_once('='));
    let secret = written.filter(|(name, _)| Secrets::is_secret_name(name));
    parts.extend(secret.map(|(_, value)| value.to_owned()));
}

/// Decodes the `%` escapes of a part of an address.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = part
            .get(part.len() - behind.len()..)
            .and_then(|digits| digits.get(..2));
        let byte = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_password_is_found_encoded_and_decoded() {
        for (text, password) in [
            ("postgres://bob:p%40ssw0rdLong@db/x", "p%40ssw0rdLong"),
            ("postgres://bob:p%40ssw0rdLong@db/x", "p@ssw0rdLong"),
            ("mongodb://u:longPassword@a:1,b:2/x", "longPassword"),
            ("jdbc:mysql://u:longPassword@a", "longPassword"),
            ("amqp://u:one:two@three@host", "one:two@three"),
            ("https://a.test and https://u:secondOne@b.test", "secondOne"),
            ("https://a.test/?api_key=in%20query", "in query"),
        ] {
            let parts = passwords(text);
            assert!(parts.iter().any(|part| part == password), "{parts:?}");
        }
        let same = passwords("postgres://postgres:postgres@db");
        assert!(same.iter().all(|part| part != "postgres"), "{same:?}");
        for text in [
            "https://a.test/x:y@z",
            "u:p@host",
            "https://user@a.test",
            "",
        ] {
            assert_eq!(passwords(text), Vec::<String>::new(), "{text}");
        }
        for (text, segment) in [
            (
                "https://hooks.test/services/T0/B0/a8Kd9fK2mN4pQ7",
                "a8Kd9fK2mN4pQ7",
            ),
            (
                "https://9f8a7b6c5d4e3f2a@o1.sentry.test/1",
                "9f8a7b6c5d4e3f2a",
            ),
        ] {
            assert_eq!(secret_segments(text), [segment]);
        }
        for text in ["https://api.test/v1/models", "postgres://localhost/db"] {
            assert_eq!(secret_segments(text), [""; 0]);
        }
        assert_eq!(decoded("a%2"), "a%2");
        assert_eq!(decoded("%zz\u{e9}%41"), "%zz\u{e9}A");
    }
}
