//! Figures in the form that people read.

use std::time::Duration;

/// Returns a whole number with thousands separators: `12,345`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number with its noun in the singular or plural.
pub(crate) fn counted(number: u64, one: &str, several: &str) -> String {
    let word = if number == 1 { one } else { several };
    format!("{} {word}", count(number))
}

/// Returns a p-value, which is never written as 0.
pub(crate) fn p_value(p: f64) -> String {
    match p {
        p if p < 0.000_1 => "p < 0.0001".to_owned(),
        p if p < 0.01 => format!("p = {p:.4}"),
        // A value that rounds to the significance level is distinguished from it.
        p if (0.045..0.055).contains(&p) => format!("p = {p:.3}"),
        p => format!("p = {p:.2}"),
    }
}

/// Returns US dollars, with more digits for small amounts.
pub(crate) fn money(dollars: f64) -> String {
    if dollars == 0.0 {
        "$0.00".to_owned()
    } else if dollars < 0.000_05 {
        "<$0.0001".to_owned()
    } else if dollars < 0.995 {
        format!("${dollars:.4}")
    } else if dollars < 1e12 {
        let cents = (dollars * 100.0).round() as u64;
        format!("${}.{:02}", count(cents / 100), cents % 100)
    } else {
        format!("${dollars:.2e}")
    }
}

/// Returns the duration of a call.
pub(crate) fn milliseconds(milliseconds: f64) -> String {
    if milliseconds < 9.95 {
        format!("{milliseconds:.1} ms")
    } else if milliseconds < 999.5 {
        format!("{milliseconds:.0} ms")
    } else if milliseconds < 59_950.0 {
        format!("{:.1} s", milliseconds / 1e3)
    } else {
        duration(Duration::try_from_secs_f64(milliseconds / 1e3).unwrap_or(Duration::MAX))
    }
}

/// Returns a duration that people wait, in the two largest units.
pub(crate) fn duration(duration: Duration) -> String {
    let rounding = u64::from(duration.subsec_millis() >= 500);
    let seconds = duration.as_secs().saturating_add(rounding);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => {
            let days = counted(seconds / 86_400, "day", "days");
            format!("{days} {} h", seconds % 86_400 / 3_600)
        }
    }
}

/// Returns a rate per second or, if it is low, per minute.
pub(crate) fn rate(per_second: f64) -> String {
    if per_second >= 9.95 {
        format!("{}/s", count(per_second.round() as u64))
    } else if per_second >= 0.95 {
        format!("{per_second:.1}/s")
    } else {
        format!("{:.1}/min", per_second * 60.0)
    }
}

/// Returns a percentage with one decimal. One near 0% or 100%, which only exact values are, has as many
/// decimals as it takes to show its distance from them.
pub(crate) fn percent(share: f64) -> String {
    if share >= 1.0 {
        return "100%".to_owned();
    }
    if share <= 0.0 {
        return "0%".to_owned();
    }
    let percent = share * 100.0;
    let rounding = percent.min(100.0 - percent) / 10.0;
    let written = |decimals: usize| format!("{percent:.decimals$}");
    let is_near = |text: &String| {
        let read = text.parse::<f64>();
        read.is_ok_and(|read| (read - percent).abs() <= rounding)
    };
    let shown = (1..=9).map(written).find(is_near);
    shown.unwrap_or_else(|| written(9)) + "%"
}

/// Returns an interval of shares, with as many decimals as it takes to show that it has a width.
pub(crate) fn percent_range(low: f64, high: f64) -> String {
    apart(low, high, |share, decimals| match decimals {
        1 => percent(share),
        _ => format!("{:.decimals$}%", share * 100.0),
    })
}

/// Returns an interval of scores, with as many decimals as it takes to show that it has a width.
pub(crate) fn score_range(low: f64, high: f64) -> String {
    apart(low, high, |score, decimals| {
        let decimals = decimals + 2;
        format!("{score:.decimals$}")
    })
}

fn apart(low: f64, high: f64, show: impl Fn(f64, usize) -> String) -> String {
    let written = |decimals| [show(low, decimals), show(high, decimals)];
    let differ = |[low, high]: &[String; 2]| low != high;
    let shown = (1..6).map(written).find(differ);
    shown.unwrap_or_else(|| written(1)).join(" to ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_people_write_them() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(count).join(" "),
            "0 999 1,000 1,234,567"
        );
        let amounts = [0.0, 0.000_01, 0.0123, 0.999, 12.5, 1234.567];
        assert_eq!(
            amounts.map(money).join(" "),
            "$0.00 <$0.0001 $0.0123 $1.00 $12.50 $1,234.57"
        );
        let calls = [0.26, 812.4, 999.7, 12_340.0, 59_990.0, 125_000.0];
        assert_eq!(
            calls.map(milliseconds).join(", "),
            "0.3 ms, 812 ms, 1.0 s, 12.3 s, 1 min 0 s, 2 min 5 s"
        );
        let waits = [0, 59, 61, 3_660, 90_000].map(Duration::from_secs);
        assert_eq!(
            waits.map(duration).join(", "),
            "0 s, 59 s, 1 min 1 s, 1 h 1 min, 1 day 1 h"
        );
        assert_eq!(
            [240.4, 9.97, 1.25, 0.05].map(rate).join(" "),
            "240/s 10/s 1.2/s 3.0/min"
        );
    }

    #[test]
    fn nearly_all_is_not_all_and_hardly_any_is_not_none() {
        let shares = [1.0, 0.999_99, 0.841, 0.000_01, 0.0];
        assert_eq!(
            shares.map(percent).join(" "),
            "100% 99.999% 84.1% 0.001% 0%"
        );
    }

    #[test]
    fn an_interval_with_a_width_does_not_read_as_a_point() {
        assert_eq!(percent_range(0.722, 1.0), "72.2% to 100%");
        assert_eq!(percent_range(0.999_34, 0.999_62), "99.93% to 99.96%");
        assert_eq!(percent_range(0.5, 0.5), "50.0% to 50.0%");
        assert_eq!(score_range(0.25, 0.75), "0.250 to 0.750");
        assert_eq!(score_range(0.999_96, 1.0), "0.99996 to 1.00000");
    }

    #[test]
    fn no_figure_is_too_large_to_be_written() {
        money(f64::MAX);
        milliseconds(f64::MAX);
        duration(Duration::MAX);
        rate(f64::INFINITY);
        count(u64::MAX);
    }
}
