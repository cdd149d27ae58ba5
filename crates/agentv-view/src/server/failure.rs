//! Errors as answers.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::view_error::ViewError;

impl IntoResponse for ViewError {
    fn into_response(self) -> Response {
        let status = match &self {
            ViewError::NoRun(_) | ViewError::NoTrial(_) => StatusCode::NOT_FOUND,
            ViewError::Request(_) => StatusCode::BAD_REQUEST,
            ViewError::Link(_) => StatusCode::FORBIDDEN,
            ViewError::Index(_) | ViewError::File(_) | ViewError::Listen { .. } => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        let body = serde_json::json!({"error": self.to_string()});
        (
            status,
            [("content-type", "application/json")],
            body.to_string(),
        )
            .into_response()
    }
}
