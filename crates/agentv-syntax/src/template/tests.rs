//! Hostile templates and ordinary ones.

use super::*;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Time after which a filling has failed to end: far more than any needs, on any machine.
const DEADLINE: Duration = Duration::from_secs(60);

fn filled_with(source: &str, answer: &str) -> Result<String, String> {
    let values = serde_json::json!({
        "answer": answer, "n": 3, "first": "a", "rows": [{"name": "a", "of": ["x", "y"]}, {"name": "b", "of": []}],
    });
    let template = Template::parse(source, Missing::Empty).map_err(|error| error.to_string())?;
    template.fill(&values).map_err(|error| error.to_string())
}

fn filled(source: &str) -> Result<String, String> {
    filled_with(source, &"a,b\nc".repeat(20_000))
}

/// Does it on a stack that is half of what threads usually have.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(work).unwrap().join().unwrap();
}

/// Templates that would make much of little, or take long.
fn hostile() -> Vec<String> {
    let grown = |step: &str| format!("{{% set a = answer %}}{}{{{{ a }}}}", step.repeat(40));
    let mut templates = vec![
        grown("{% set a = a ~ a %}"),
        grown("{% set a = a + a %}"),
        grown("{% set a = [a, a] %}"),
        grown("{% set a = (a, a) %}"),
        grown("{% set a = {'a': a, 'b': a} %}"),
        grown("{% set a = a|list + a|list %}"),
        grown("{% set a = a[:] ~ a %}"),
        grown("{% set a = a|replace('a', 'aaaa') %}"),
        grown("{% set a = [a, a] %}{% if a == [a, a] %}{% endif %}"),
        grown("{% set a = [a, a] %}{% if {a: 1} %}{% endif %}"),
        grown("{% set a = [a, a] %}{% set b, c = a ~ a %}"),
    ];
    templates.extend(
        [
            "{{ 'a' * 100000000 }}",
            "{{ 100000000 * ('a' ~ 'b') }}",
            "{{ [answer] * 100000000 }}",
            "{{ n * answer }}",
            "{{ 9 ** 9 ** 9 }}",
            "{% set a %}{{ answer }}{{ answer }}{% endset %}",
            "{% filter upper %}{{ answer }}{% endfilter %}",
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{% for a in rows recursive %}{{ loop(rows) }}{% endfor %}",
            "{% for a in rows %}{{ loop.cycle() }}{% endfor %}",
            "{% for a in rows %}{{ loop.cycle(*none_such) }}{% endfor %}",
            "{% set ns = namespace(a=answer) %}",
            "{{ range(1000000000)|list|length }}",
            "{{ '%9999999999d'|format(1) }}",
            "{{ answer|indent(4000000000) }}",
            "{{ answer|center(4000000000) }}",
            "{{ answer|batch(4000000000, answer) }}",
            "{{ answer|replace('a', answer) }}",
            "{{ answer|join(answer) }}",
            "{{ answer|list|sum(start='') }}",
            "{{ answer|trim(answer) }}",
            "{{ answer|lines|tojson(indent=4000000) }}",
            "{% for i in range(99999) %}{{ answer }}{% endfor %}",
            "{% for i in range(99999) %}{{ rows }}{{ rows }}{{ rows }}{{ rows }}{{ rows }}{% endfor %}",
        ]
        .map(str::to_owned),
    );
    let raw = "x".repeat(1_000);
    templates.push(format!("{{% for i in range(99999) %}}{raw}{{% endfor %}}"));
    templates
}

#[test]
fn no_template_makes_much_of_little() {
    for source in hostile() {
        assert!(filled(&source).is_err(), "{source}");
    }
}

/// The hostile templates, in a process of their own: the peak of its memory is theirs.
#[cfg(target_os = "linux")]
#[test]
fn no_template_takes_much_memory() {
    const CHILD: &str = "TEMPLATE_MEMORY_CHILD";
    if std::env::var_os(CHILD).is_some() {
        for source in hostile() {
            let _ = filled(&source);
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        writeln!(std::io::stdout(), "{}", peak.unwrap()).unwrap();
        return;
    }
    let test = "template::tests::no_template_takes_much_memory";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    let (_, peak) = output.split_once("VmHWM:").unwrap();
    let peak: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    assert!(peak < 128 << 10, "{peak} kB");
}

#[test]
fn no_template_is_too_deep_for_the_stack() {
    on_a_small_stack(|| {
        for count in [190, 3_000, 200_000] {
            for (before, repeated, after) in [
                ("{{ answer", "|upper", " }}"),
                ("{{ answer", ".a", " }}"),
                ("{{ answer", "[0]", " }}"),
                ("{{ range", "()", " }}"),
                ("{{ 1", " + 1", " }}"),
                ("{{ 1", " - 1", " }}"),
                ("{{ 1", " and 1", " }}"),
                ("{{ 1", " == 1", " }}"),
                ("{{ ", "not ", "1 }}"),
                ("{{ ", "-", "1 }}"),
                ("{{ ", "1 if 1 else ", "1 }}"),
                ("{{ answer", " is defined", " }}"),
                ("{{ ", "(", ""),
                ("{{ ", "range(", ""),
                ("{{ answer", "[n", ""),
                ("{{ 1 ", "if 1 ", "}}"),
                ("{% if 1 %}", "{% elif 1 %}", "{% endif %}"),
                ("", "{% if 1 %}", ""),
                ("", "{% for a in answer %}", ""),
                ("", "{% if 1 %}{% elif 1 %}", ""),
                ("{{ answer[1", ":", "] }}"),
            ] {
                let source = format!("{before}{}{after}", repeated.repeat(count));
                let parsed = Template::parse(&source, Missing::Empty);
                match parsed {
                    Ok(template) => drop(template.fill(BTreeMap::from([("answer", "a")]))),
                    Err(error) => assert!(!error.reason.is_empty()),
                }
                let is_long = repeated.len() * count > 20_000;
                assert!(!is_long || Template::parse(&source, Missing::Empty).is_err());
            }
        }
    });
}

#[test]
fn a_template_at_each_limit_is_filled_on_a_small_stack() {
    on_a_small_stack(|| {
        let nested = |open: &str, inner: &str, close: &str, times: usize| {
            format!("{}{inner}{}", open.repeat(times), close.repeat(times))
        };
        for source in [
            format!("{{{{ 'a'{} }}}}", "|upper".repeat(98)),
            format!("{{{{ {}1 }}}}", "not ".repeat(197)),
            format!("{{{{ {} }}}}", nested("(", "1", ")", 20)),
            format!("{{{{ {} }}}}", nested("range(", "1", ")|length", 20)),
            nested(
                "{% if 1 %}",
                &format!("{{{{ {}1 }}}}", "not ".repeat(197)),
                "{% endif %}",
                50,
            ),
            nested("{% for a in range(1) %}", "{{ a }}", "{% endfor %}", 50),
            format!("{{% if 0 %}}{}x{{% endif %}}", "{% elif n %}".repeat(49)),
            "{{ n }}".repeat(6_000),
        ] {
            let filled = filled_with(&source, "a");
            assert!(filled.is_ok(), "{filled:?} {source}");
        }
    });
}

#[test]
fn what_is_kept_by_a_template_is_bounded() {
    let kept: String = (0..300)
        .map(|index| format!("{{% set a{index} = answer|list %}}"))
        .collect();
    let refused = filled(&kept).unwrap_err();
    assert!(refused.contains("process more than 64 MiB"), "{refused}");
}

#[test]
fn the_time_of_a_template_is_bounded_by_its_size_and_that_of_the_texts() {
    let answer = "a".repeat(2 << 20);
    for step in [
        "{% if answer|upper == 1 %}{% endif %}",
        "{% if answer == answer %}{% endif %}",
        "{% if answer != answer %}{% endif %}",
        "{% if answer < answer < answer %}{% endif %}",
        "{% if [answer] == [answer] %}{% endif %}",
        "{% set a, b = answer %}",
        "{% for a in answer %}{% endfor %}",
        "{% if {answer: answer} %}{% endif %}",
        "{% if 'b' in answer %}{% endif %}",
        "{% if answer is in(answer) %}{% endif %}",
        "{% if 'b' is not in(answer) %}{% endif %}",
        "{% if answer is eq(answer) %}{% endif %}",
        "{% if answer is lower %}{% endif %}",
        "{% if answer[1:] %}{% endif %}",
        "{% if answer[2000000] %}{% endif %}",
        "{% if answer[j] %}{% endif %}",
        "{% if answer[-1] %}{% endif %}",
        "{% if answer|attr(j) %}{% endif %}",
        "{% if answer ~ answer %}{% endif %}",
        "{% if answer + answer %}{% endif %}",
        "{% if loop.changed(answer) %}{% endif %}",
        "{% if answer|length %}{% endif %}",
        "{% for a in answer if 'b' in answer %}{% endfor %}",
        "{% for a in answer|sort %}{% endfor %}",
        "{% if answer|replace('b', 'c') %}{% endif %}",
        "{% if answer|tojson %}{% endif %}",
        "{% if answer|join %}{% endif %}",
        "{% if answer|trim('ba') %}{% endif %}",
        "{% if j %}{% endif %}",
    ] {
        let loops = "{% for i in range(99999) %}{% for j in range(99999) %}";
        let source = format!("{loops}{step}{{% endfor %}}{{% endfor %}}");
        let start = Instant::now();
        assert!(filled_with(&source, &answer).is_err(), "{step}");
        assert!(start.elapsed() < DEADLINE, "{step}: {:?}", start.elapsed());
    }
}

#[test]
fn a_list_that_is_iterated_anew_for_each_place_is_paid_for() {
    let source = "{% set l = answer|list %}{% for i in range(99999) %}{% if l|last %}{% endif %}{% endfor %}";
    assert!(filled(source).is_err());
}

#[test]
fn an_error_says_which_limit_was_reached_and_on_which_line() {
    let in_loop = |inner: &str| format!("{{% for a in rows %}}\n{inner}{{% endfor %}}");
    for (source, expected) in [
        (
            in_loop("{% set a %}{% endset %}"),
            "line 2: a prompt cannot have `{% set … %}` without a value",
        ),
        (
            format!("{{{{ answer{} }}}}", "|upper".repeat(200)),
            "line 1: a prompt cannot have more than 200 tokens in one `{{ … }}` or `{% … %}`: use several",
        ),
        (
            "{{ n }}".repeat(7_000),
            "line 1: a prompt cannot have more than 20,000 tokens in `{{ … }}` and `{% … %}` together: make it shorter",
        ),
        (
            in_loop(
                "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            ),
            "line 2: filling it takes more than 1,000,000 steps: loop over fewer values",
        ),
        (
            in_loop("{% for i in range(99999) %}{{ answer }}{% endfor %}"),
            "line 2: the text would be larger than 16 MiB: insert less",
        ),
        (
            in_loop("{% for i in range(9999) %}{% if answer|upper %}{% endif %}{% endfor %}"),
            "line 2: its filters and operators process more than 64 MiB: use fewer of them, and none on long texts inside `{% for %}`",
        ),
        (
            in_loop("{{ 'a' * 3 }}"),
            "line 2: `*` multiplies numbers, found a string",
        ),
    ] {
        assert_eq!(filled(&source).unwrap_err(), expected, "{source}");
    }
}

#[test]
fn what_prompts_need_is_taken() {
    for (source, expected) in [
        ("{{ 'Q: ' ~ n }}", "Q: 3"),
        ("{{ n + 1 }} {{ n - 1 }}", "4 2"),
        (
            "{% for i in range(3) %}{{ loop.index0 + 1 }}{% endfor %}",
            "123",
        ),
        (
            "{% if n > 2 and n in range(9) %}x{% else %}y{% endif %}",
            "x",
        ),
        ("{% set a = answer|lines %}{{ a[0] }}", "a,b"),
        ("{{ answer|lines|first|replace(',', ';') }}", "a;b"),
        ("{{ answer|lines|first|split(',')|join('+') }}", "a+b"),
        ("{{ 'a\"b'|tojson }}", "\"a\\\"b\""),
        ("{{ answer[:3]|upper|trim|default('x', true) }}", "A,B"),
        ("{# * #}{% raw %}{{ a * b }}{% endraw %} *", "{{ a * b }} *"),
        (
            "{% for row in rows %}{% if row.name == 'a' %}{{ row['name'] }}:{% for x in row.of %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}{% endif %}{% endfor %}",
            "a:x, y",
        ),
        (
            "{% for row in rows %}{% if loop.index < n and 'a' is in(row.name) %}{{ row|attr('name') }}{% endif %}{% endfor %}",
            "a",
        ),
        ("{{ rows|selectattr('name', 'eq', 'b')|list|length }}", "1"),
        (
            "{{ rows|sort(attribute='name', reverse=true)|first|items|first|last }}",
            "b",
        ),
        (
            "{% for i in range(2) %}{{ rows|attr(i)|attr('name') }}{% endfor %}",
            "ab",
        ),
        (
            "{% for row in rows %}{% if row.name == first %}{{ row.of[n - 2] }}{% elif row.name in answer %}{{ row.name }}{% endif %}{% endfor %}",
            "yb",
        ),
        (
            "{% for m in [1, n, 5] %}{% if m == n %}{{ m ~ '!' }}{% endif %}{% endfor %}",
            "3!",
        ),
        (
            "{{ 1 < n < 4 }} {{ n * 2 }} {{ {'a': n}.a }} {{ ([1] + [n])|length }}",
            "True 6 3 2",
        ),
        (
            "{% for x in 'ab' %}{{ loop.cycle('-', '+') }}{{ x }}{% endfor %}",
            "-a+b",
        ),
        ("{% set answer = n %}{{ answer }}", "3"),
        (
            "{{ none_such.at.all }}{{ none_such|default('d') }}{{ none_such|upper }}",
            "d",
        ),
    ] {
        assert_eq!(filled(source), Ok(expected.to_owned()), "{source}");
    }
}

#[test]
fn ordinary_loops_over_long_texts_are_taken() {
    let answer = "a line of some length\n".repeat(20_000);
    let source =
        "{% for line in answer|lines if line %}{{ loop.index }}: {{ line|trim }}\n{% endfor %}";
    let filled = filled_with(source, &answer).unwrap();
    assert!(filled.ends_with("20000: a line of some length\n"));
}

#[test]
fn the_functions_of_templates_are_no_variables_of_theirs() {
    let source = "{% for i in range(n) %}{{ loop.index }}{{ i }}{{ other }}{% endfor %}";
    let template = Template::parse(source, Missing::Empty).unwrap();
    assert_eq!(template.variables(), ["n", "other"]);
    let source =
        "{% set answer = answer|trim %}{{ answer[:n] }}{% with m = 1 %}{{ m }}{% endwith %}{{ m }}";
    let template = Template::parse(source, Missing::Empty).unwrap();
    assert_eq!(template.variables(), ["answer", "m", "n"]);
}

#[test]
fn what_is_missing_is_empty_or_refused() {
    let fill = |missing| {
        let template = Template::parse("a{{ b }}", missing).unwrap();
        template.fill(BTreeMap::<&str, &str>::new())
    };
    assert_eq!(fill(Missing::Empty).unwrap(), "a");
    assert!(fill(Missing::Refused).is_err());
}

/// Fills a template whose variables `answer` and `messages` others wrote.
fn tagged(source: &str) -> Result<String, String> {
    let values = serde_json::json!({
        "answer": "hi", "same": "hi", "empty": "", "note": "do it",
        "messages": [{"role": "user", "content": "a"}, {"role": "tool", "content": [1, "b"]}],
    });
    let values = values.as_object().unwrap().iter();
    let untrusted = Untrusted {
        names: &["answer", "same", "empty", "messages"],
        tag: std::sync::Arc::new(|name, text| format!("<{name}>{text}</{name}>")),
    };
    let template = Template::parse(source, Missing::Empty).map_err(|error| error.to_string())?;
    let values = values.map(|(name, value)| (name.as_str(), value));
    let filled = template.fill_tagged(values, &untrusted);
    filled.map_err(|error| error.to_string())
}

#[test]
fn values_are_compared_as_they_are_and_get_tags_where_they_are_written() {
    for (source, expected) in [
        ("{{ answer }} {{ note }}", "<answer>hi</answer> do it"),
        ("{% if answer == same %}{{ 'same' }}{% endif %}", "same"),
        ("{% if answer == 'hi' and not empty %}x{% endif %}", "x"),
        ("{{ empty }}", "<empty></empty>"),
        ("{{ none_such }}{{ none_such|upper }}", ""),
        ("{{ answer|upper }}", "<answer>HI</answer>"),
        ("{{ answer[:1] }}", "<answer>h</answer>"),
        ("{{ answer|length }}{{ answer == same }}", "2True"),
        ("{{ 'x'|replace('x', answer) }}", "<answer>hi</answer>"),
        ("{{ 'A: ' ~ answer ~ note }}", "A: <answer>hi</answer>do it"),
        ("{{ answer ~ same }}", "<answer>hi</answer><same>hi</same>"),
        ("{{ answer if note else note }}", "<answer>hi</answer>"),
        ("{{ 'no' if empty else 'yes' }}", "yes"),
        ("{{ empty or answer }}", "<empty>hi</empty>"),
        (
            "{% set a, b = [answer, note] %}{{ a }}{{ b }}",
            "<answer>hi</answer><answer>do it</answer>",
        ),
        (
            "{% with a = answer|trim %}{{ a }}{% endwith %}",
            "<answer>hi</answer>",
        ),
        (
            "{% for c in answer %}{{ loop.index }}{{ c }}{{ loop.previtem }}{% endfor %}",
            "1<answer>h</answer>2<answer>i</answer><answer>h</answer>",
        ),
        (
            "{% for m in messages %}{{ m.role }}: {{ m.content }};{% endfor %}",
            "<messages>user</messages>: <messages>a</messages>;<messages>tool</messages>: <messages>[\n  1,\n  \"b\"\n]</messages>;",
        ),
        (
            "{{ messages[:1] }}",
            "<messages>[\n  {\n    \"role\": \"user\",\n    \"content\": \"a\"\n  }\n]</messages>",
        ),
        (
            "{{ messages|selectattr('role', 'eq', 'tool')|list|length }}",
            "1",
        ),
        (
            "{{ a }}{% if note %}{% set a = answer %}{% endif %}{{ a }}",
            "<answer>hi</answer>",
        ),
    ] {
        assert_eq!(tagged(source), Ok(expected.to_owned()), "{source}");
    }
}

#[test]
fn a_name_that_does_not_exist_is_an_error_before_the_template_is_filled() {
    for (source, expected) in [
        (
            "a\n{{ answer|uper }}",
            "line 2: unknown filter `uper`: did you mean `upper`?",
        ),
        (
            "{% if answer is defned %}{% endif %}",
            "line 1: unknown test `defned`: did you mean `defined`?",
        ),
        (
            "{{ rows|select('od') }}",
            "line 1: unknown test `od`: known: eq, ",
        ),
        (
            "{{ rows|selectattr('name', 'equalt', 1) }}",
            "line 1: unknown test `equalt`: did you mean `equalto`?",
        ),
        (
            "{{ rang(3) }}",
            "line 1: unknown function `rang`: did you mean `range`?",
        ),
        (
            "{{ namespace(a=1) }}",
            "line 1: a prompt cannot have the function `namespace`, whose result can be of any size",
        ),
        (
            "{{ answer.upper() }}",
            "line 1: unknown method `upper()`: write the filter `|upper`",
        ),
        (
            "{{ answer.strip() }}",
            "line 1: unknown method `strip`: known: changed, cycle",
        ),
        (
            "{{ rows[0]() }}",
            "line 1: a prompt cannot have calls of values",
        ),
    ] {
        let error = Template::parse(source, Missing::Empty).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{source}: {error}");
    }
}

#[test]
fn every_known_name_can_be_used() {
    for name in super::filters::filter_names() {
        let parsed = Template::parse(&format!("{{{{ answer|{name} }}}}"), Missing::Empty);
        let filled = parsed.unwrap().fill(BTreeMap::from([("answer", "a")]));
        let reason = filled.map_or_else(|error| error.to_string(), |_| String::new());
        assert!(!reason.contains("unknown filter"), "{name}: {reason}");
    }
    for name in super::filters::test_names() {
        if name.chars().all(char::is_alphabetic) {
            let source = format!("{{{{ answer is {name} }}}}");
            let filled = Template::parse(&source, Missing::Empty);
            let filled = filled.unwrap().fill(BTreeMap::from([("answer", "a")]));
            let reason = filled.map_or_else(|error| error.to_string(), |_| String::new());
            assert!(!reason.contains("unknown test"), "{name}: {reason}");
        }
    }
}
