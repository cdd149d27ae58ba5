//! The page itself: a frame, a style and a script.

use agentv_report::page;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// The scripts of the view, each after those that it uses.
const OWN: &[&str] = &[
    include_str!("../assets/server_source.js"),
    include_str!("../assets/compare_page.js"),
    include_str!("../assets/compare_case.js"),
    include_str!("../assets/label_page.js"),
    include_str!("../assets/view.js"),
];

/// Returns the frame, which is the same for all pages.
pub(super) async fn frame() -> Response {
    let frame = page::frame_with("/app.css", "/app.js").replace("agentv report", "agentv");
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], frame).into_response()
}

/// Returns the script.
pub(super) async fn script() -> Response {
    let script = page::script_with(&[page::RUNS, OWN].concat());
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], script).into_response()
}

/// Returns the style.
pub(super) async fn style() -> Response {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], page::style()).into_response()
}
