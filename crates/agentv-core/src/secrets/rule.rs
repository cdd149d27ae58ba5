//! The rule that distinguishes secrets from other values.

use super::hidden_values::Secrets;
use super::name::says_secret;
use super::reading::{is_plain_word, reads_like_address, reads_like_path, reads_like_words};

/// The length from which a value is secret whatever its name is, unless it reads like something else.
const LONG: usize = 12;

impl Secrets {
    /// Returns true if a field, header or variable of this name holds a secret.
    pub fn is_secret_name(name: &str) -> bool {
        says_secret(name)
    }

    /// Returns true if the value of a field, header or variable is a secret: its name says so, and the
    /// value is neither short nor a plain word; or it looks like a secret whatever the name is.
    pub fn is_secret(name: &str, value: &str) -> bool {
        (says_secret(name) && Secrets::can_be_secret(value)) || Secrets::looks_secret(value)
    }

    /// Returns true if a value whose name says that it is secret can be hidden. A short value or a plain
    /// word, such as `postgres`, would be found in many answers.
    pub fn can_be_secret(value: &str) -> bool {
        value.chars().count() >= Secrets::SHORTEST && !is_plain_word(value)
    }

    /// Returns true if a value is long and reads neither like words nor like a path.
    pub fn looks_secret(value: &str) -> bool {
        value.chars().count() >= LONG
            && !reads_like_words(value)
            && !reads_like_path(value)
            && !reads_like_address(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_look_secret_are_told_from_everyday_ones() {
        for value in [
            "true",
            "info",
            "http://localhost:3000",
            "/usr/local/bin",
            "us-east-1",
            "gpt-4o-mini",
            "postgres://localhost/db",
            "claude-sonnet-4-5-20250929",
            "gpt-4o-2024-08-06",
            "meta-llama/Llama-3.3-70B-Instruct",
            "anthropic.claude-3-5-sonnet-20241022-v2:0",
            "text-embedding-3-small",
            "mixtral-8x7b-32768",
            "Qwen2.5-Coder-32B-Instruct",
            "deepseek-r1-distill-llama-70b",
            "eu-central-1",
            "us-gov-west-1",
            "en_US.UTF-8",
            "Europe/Berlin",
            "America/New_York",
            "2024-10-21-preview",
            "2025-11-16T10:00:00Z",
            "john.smith@example.com",
            "application/json",
            "./data/cases.jsonl",
            "C:\\Users\\me\\agent",
            "redis-cache.default.svc.cluster.local:6379",
            "localhost:5432",
            "192.168.100.200",
            "192.168.100.200:8080",
            "postgres:16-alpine",
            "v1.25.4-alpine",
            "You are a helpful assistant.",
            "correct horse battery staple",
            "development",
            "my-company-production",
            "gr\u{f6}\u{df}enwahnsinnig",
            "--config agent.json",
            "/var/lib/agent/8f14e45fceea167a/data",
            "DEBUG,INFO,WARNING",
            "snake_case_project_name",
            "camelCaseProjectName",
            "12345678",
            "1,2,3,4,5,6,7,8",
        ] {
            assert!(!Secrets::looks_secret(value), "{value}");
        }
        for value in [
            "sk-proj-9f8a7b6c5d4e3f2a1b0c",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "550e8400-e29b-41d4-a716-446655440000",
            "8f14e45fceea167a5a36dedd4bea2543",
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "xoxb-123456789012-abcdefghijkl",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0",
            "P@ssw0rd1234",
            "hunter2hunter2",
            "a1b2-c3d4-e5f6",
            "xkqw zjrt plmn vbcd",
            "kqzxvwpjtmrg",
            "123456789012",
            "aBcDeFgHiJkLmN",
            "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            "a8Kd9fK2mN4p",
        ] {
            assert!(Secrets::looks_secret(value), "{value}");
        }
    }

    #[test]
    fn a_name_makes_shorter_values_secret_but_not_plain_words() {
        for (name, value) in [
            ("DB_PASS", "hunter22"),
            ("DB_PASSWORD", "correcthorsebatterystaple"),
            ("LOWER_TOKEN", "qwertyuiop"),
            ("SLACK_WEBHOOK", "https://hooks.slack.com/services/T0/B0/x"),
            ("SENTRY_DSN", "https://abc@o1.ingest.sentry.io/1"),
            ("GH_AUTH", "abc-123-xyz"),
            ("X-Auth", "let me in"),
            ("MODEL", "sk-0123456789ab"),
        ] {
            assert!(Secrets::is_secret(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("POSTGRES_PASSWORD", "postgres"),
            ("DB_PASS", "changeme"),
            ("AUTH_MODE", "authentication"),
            ("KEY_OWNER", "Administrator"),
            ("API_KEY", "short"),
            ("MODEL", "gpt-4o-mini"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("COMPASS", "north-west"),
            ("MONKEY", "business-1"),
        ] {
            assert!(!Secrets::is_secret(name, value), "{name}={value}");
        }
    }
}
