//! Numbers of things in words.

/// Returns a number with its noun: `1 case`, `2 cases`, `1,234 cases`.
pub fn counted(count: u64, noun: &str) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let plural = if count == 1 { "" } else { "s" };
    format!("{grouped} {noun}{plural}")
}
