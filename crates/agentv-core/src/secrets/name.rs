//! Names of fields, headers and variables that hold secrets.

/// The words that say so, alone or as a part of a name.
const WORDS: &[&str] = &[
    "key",
    "token",
    "secret",
    "secrets",
    "pass",
    "passwd",
    "password",
    "passwords",
    "passphrase",
    "pwd",
    "auth",
    "authorization",
    "dsn",
    "webhook",
    "credential",
    "credentials",
    "cookie",
    "cookies",
    "pat",
    "private",
];

/// Words that say so at the end of a longer word, as in `PGPASSWORD`, `DBPASS` and `apikey`.
const ENDINGS: &[&str] = &[
    "pass",
    "pwd",
    "auth",
    "dsn",
    "webhook",
    "credential",
    "credentials",
    "password",
    "passwd",
    "passphrase",
    "token",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
];

/// Words that end like a secret and are none.
const OTHER_WORDS: &[&str] = &[
    "bypass",
    "compass",
    "encompass",
    "overpass",
    "surpass",
    "trespass",
    "underpass",
];

/// Checks the parts of a name, which `_`, `-`, other punctuation and capital letters separate.
pub(super) fn says_secret(name: &str) -> bool {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    words.flat_map(humps).any(|part| {
        let part = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let part = part.to_ascii_lowercase();
        let has_ending = || ENDINGS.iter().any(|ending| part.ends_with(ending));
        WORDS.contains(&part.as_str()) || !OTHER_WORDS.contains(&part.as_str()) && has_ending()
    })
}

/// Splits `apiKey` and `APIKey` into `api` and `Key`.
pub(super) fn humps(word: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for (index, (at, letter)) in letters.iter().enumerate().skip(1) {
        let before = letters[index - 1].1;
        let is_next_lower = letters
            .get(index + 1)
            .is_some_and(|(_, next)| next.is_lowercase());
        let begins = letter.is_uppercase() && (!before.is_uppercase() || is_next_lower);
        if begins {
            parts.push(&word[start..*at]);
            start = *at;
        }
    }
    parts.push(&word[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_of_a_name_says_that_it_holds_a_secret() {
        for name in [
            "OPENAI_API_KEY_STAGING",
            "GH_AUTH",
            "DB_PASS",
            "DB_PWD",
            "DBPASS",
            "dbPass",
            "MYSQLPWD",
            "GHAUTH",
            "SENTRYDSN",
            "SLACKWEBHOOK",
            "SLACK_WEBHOOK",
            "SENTRY_DSN",
            "X-Auth",
            "x-api-key",
            "apiKey",
            "APIKey",
            "API_KEY2",
            "APIKEY",
            "PGPASSWORD",
            "GITHUB_PAT",
            "AWS_CREDENTIALS",
            "Cookie",
            "Authorization",
            "privateKey",
            "NPMTOKEN",
            "client.secret",
            "AWS_BEARER_TOKEN_BEDROCK",
            "PASSWD",
            "MY_PRIVATE_THING",
        ] {
            assert!(says_secret(name), "{name}");
        }
        for name in [
            "PATH",
            "COMPASS",
            "BYPASS",
            "COMPASSES",
            "AUTHORS",
            "MONKEY",
            "COMPAT",
            "KEYS_FILE",
            "MODEL",
            "AUTHOR",
            "MAX_TOKENS",
            "tokens_per_minute",
            "KEYBOARD",
            "PASSENGER",
            "TOKENIZERS",
            "PATTERN",
            "HOTKEYS",
            "",
        ] {
            assert!(!says_secret(name), "{name}");
        }
    }
}
