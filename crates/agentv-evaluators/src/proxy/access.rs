//! Access control: only a script on this machine that knows the token may ask.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;

use hyper::header::{AUTHORIZATION, HOST, HeaderMap};

/// A secret that only the script knows.
pub(super) struct Token(String);

impl Token {
    pub(super) fn new() -> Token {
        // The hasher's keys come from the system, so one token does not reveal another.
        let random = || RandomState::new().hash_one(fastrand::u128(..));
        Token(format!("{:016x}{:016x}", random(), random()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if a request has the token. The comparison takes constant time.
    pub(super) fn is_shown(&self, headers: &HeaderMap) -> bool {
        let Some(shown) = headers.get(AUTHORIZATION) else {
            return false;
        };
        let Some((scheme, shown)) = split_once(shown.as_bytes(), b' ') else {
            return false;
        };
        let token = self.0.as_bytes();
        let pairs = token.iter().zip(shown.trim_ascii());
        let difference = pairs.fold(0, |difference, (one, other)| difference | (one ^ other));
        let is_as_long = shown.trim_ascii().len() == token.len();
        scheme.eq_ignore_ascii_case(b"bearer") && is_as_long && difference == 0
    }
}

fn split_once(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = bytes.iter().position(|byte| *byte == at)?;
    Some((&bytes[..place], &bytes[place + 1..]))
}

/// Returns true if a request is addressed to this machine. A page in a browser that reaches it
/// through another host name is refused.
pub(super) fn is_for_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = address
        .parse()
        .is_ok_and(|address: IpAddr| address.is_loopback());
    is_loopback || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(name: hyper::header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn only_the_whole_token_is_let_in() {
        let token = Token::new();
        let word = token.as_str().to_owned();
        assert_eq!(word.len(), 32);
        let shown = |value: &str| token.is_shown(&headers(AUTHORIZATION, value));
        assert!(shown(&format!("Bearer {word}")));
        assert!(shown(&format!("bearer {word}")));
        for wrong in ["", "Bearer ", &word, &format!("Basic {word}")] {
            assert!(!shown(wrong), "{wrong}");
        }
        assert!(!shown(&format!("Bearer {}", &word[..31])));
        assert!(!shown(&format!("Bearer {word}x")));
        assert!(!shown(&format!("Bearer {}", Token::new().as_str())));
        assert!(!token.is_shown(&HeaderMap::new()));
    }

    #[test]
    fn names_of_other_machines_are_turned_away() {
        for host in [
            "127.0.0.1:4000",
            "127.0.0.1",
            "localhost:1",
            "[::1]:80",
            "LOCALHOST",
        ] {
            assert!(is_for_this_machine(&headers(HOST, host)), "{host}");
        }
        for host in [
            "evil.example:4000",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "",
        ] {
            assert!(!is_for_this_machine(&headers(HOST, host)), "{host}");
        }
        assert!(!is_for_this_machine(&HeaderMap::new()));
    }
}
