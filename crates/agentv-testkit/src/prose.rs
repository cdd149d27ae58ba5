//! Text like the messages of people to a support agent or a coding agent.

use crate::random::Random;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "the", "a", "order", "refund", "please", "invoice", "customer", "was", "charged", "twice",
    "for", "subscription", "and", "would", "like", "to", "know", "when", "account",
    "deployment", "fails", "with", "timeout", "after", "upgrade", "database", "migration",
    "returns", "wrong", "total", "because", "currency", "is", "rounded", "before", "tax",
    "explain", "how", "function", "handles", "empty", "input", "in", "test", "suite",
    "summarise", "report", "three", "points", "without", "names", "of", "people", "shipping",
    "address", "changed", "yesterday", "still", "shows", "old", "one", "write", "query", "that",
    "finds", "duplicate", "rows", "search", "index", "memory", "usage", "grows", "until",
    "service", "restarts", "every", "hour", "compare", "both", "plans", "then", "recommend",
    "cheaper", "if", "stays", "below", "limit",
];

const FOREIGN: &[&str] = &[
    "Die Rückerstattung für Bestellung 4711 fehlt noch, schöne Grüße aus Köln.",
    "¿Dónde está mi pedido? Lo esperaba el miércoles por la mañana.",
    "返金はいつ届きますか。注文番号は先週のメールにあります。",
    "Спасибо, теперь всё работает, но счёт пришёл дважды.",
    "La facture n’est pas à jour : il manque la remise de 15 € 🙂.",
];

const SNIPPETS: &[&str] = &[
    "fn total(items: &[Item]) -> u64 {\n\titems.iter().map(|item| item.price).sum()\n}",
    "SELECT id, \"name\" FROM users\nWHERE email LIKE '%@example.com'\nORDER BY created_at;",
    "{\"status\": \"error\", \"path\": \"C:\\\\data\\\\in.csv\", \"row\": 17}",
    "Traceback (most recent call last):\n  File \"app.py\", line 42, in <module>\nKeyError: 'total'",
    "- [ ] reproduce\n- [x] bisect to \"a1b2c3d\"\n- [ ] fix \\ verify",
];

/// Appends one sentence to `text`: usually English, sometimes in another script.
pub(crate) fn sentence(random: &mut Random, text: &mut String) {
    if random.chance(3) {
        text.push_str(random.pick(FOREIGN));
        return;
    }
    let start = text.len();
    for position in 0..random.between(3, 10) {
        if position > 0 {
            text.push(' ');
        }
        text.push_str(random.pick(WORDS));
    }
    text[start..=start].make_ascii_uppercase();
    text.push('.');
}

/// Returns `low` to `high` sentences on one line.
pub(crate) fn sentences(random: &mut Random, low: u64, high: u64) -> String {
    let mut text = String::with_capacity(high as usize * 64);
    for position in 0..random.between(low, high) {
        if position > 0 {
            text.push(' ');
        }
        sentence(random, &mut text);
    }
    text
}

/// Returns a long message: paragraphs with code, quotes, tabs and backslashes in between.
pub(crate) fn essay(random: &mut Random) -> String {
    let mut text = sentences(random, 2, 4);
    for _ in 0..random.between(2, 6) {
        text.push_str("\n\n");
        if random.chance(40) {
            text.push_str(random.pick(SNIPPETS));
        } else {
            text.push_str(&sentences(random, 2, 6));
        }
    }
    text
}

/// Returns one or two words joined by a dash, as in a name or a tag.
pub(crate) fn slug(random: &mut Random) -> String {
    format!("{}-{}", random.pick(WORDS), random.pick(WORDS))
}
