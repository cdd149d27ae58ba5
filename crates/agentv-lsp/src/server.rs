//! The conversation with the editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_dataset::Outdated;
use agentv_project::Project;
use gen_lsp_types::{
    CodeActionParams, CodeLensParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentSymbolParams, ExecuteCommandParams, Position, RenameParams,
    TextDocumentPositionParams, Uri,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use crate::address::path_of;
use crate::checker::{Checker, Snapshot};
use crate::documents::Documents;
use crate::features::{
    Context, LastScores, RUN_CASE, RenameError, RunCase, complete, definition, hover, lenses,
    prepare_rename, quick_fixes, rename, symbols,
};
use crate::positions::Encoding;
use crate::published::Published;

/// The reason why the server ended.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The editor broke the protocol.
    #[error(
        "no editor speaks the language server protocol here: {0}; editors start this command, with the settings of \
         the guide page `editors.md`"
    )]
    Protocol(#[from] lsp_server::ProtocolError),
    /// Standard input or output failed.
    #[error("the connection to the editor failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Serves an editor on standard input and output until it asks for the end.
///
/// # Errors
/// Fails if the editor breaks the protocol, or the connection fails.
pub fn serve() -> Result<(), ServeError> {
    let (connection, threads) = Connection::stdio();
    let served = serve_editor(&connection);
    drop(connection);
    let is_over = match &served {
        Ok(()) => true,
        Err(ServeError::Protocol(error)) => error.channel_is_disconnected(),
        Err(ServeError::Io(_)) => false,
    };
    // An editor that broke the protocol may keep its end open.
    if is_over {
        threads.join()?;
    }
    served
}

fn serve_editor(connection: &Connection) -> Result<(), ServeError> {
    let (id, parameters) = connection.initialize_start()?;
    let encoding = agreed_encoding(&parameters);
    connection.initialize_finish(id, abilities(encoding))?;
    if let Some(folder) = root_of(&parameters).filter(|folder| folder.is_dir()) {
        // Files are looked up as a command in this folder would.
        std::env::set_current_dir(folder)?;
    }
    let refreshes = parameters.pointer("/capabilities/workspace/codeLens/refreshSupport");
    Server::new(connection, encoding, refreshes == Some(&Value::Bool(true))).run()
}

fn agreed_encoding(parameters: &Value) -> Encoding {
    let offered = parameters.pointer("/capabilities/general/positionEncodings");
    let offered = offered.and_then(Value::as_array);
    let takes_bytes = offered.is_some_and(|offered| offered.contains(&json!("utf-8")));
    if takes_bytes {
        Encoding::Utf8
    } else {
        Encoding::Utf16
    }
}

/// Returns the folder that the editor has open.
fn root_of(parameters: &Value) -> Option<PathBuf> {
    let folder = parameters.pointer("/workspaceFolders/0/uri");
    let address = folder.or_else(|| parameters.get("rootUri"))?.as_str()?;
    path_of(&Uri::from(address))
}

fn abilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": match encoding { Encoding::Utf8 => "utf-8", Encoding::Utf16 => "utf-16" },
            // Incremental.
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "completionProvider": {"triggerCharacters": ["\"", ":", " ", "/", "-"]},
            "hoverProvider": true,
            "definitionProvider": true,
            "documentSymbolProvider": true,
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "codeLensProvider": {"resolveProvider": false},
            "renameProvider": {"prepareProvider": true},
            "executeCommandProvider": {"commands": [RUN_CASE]},
        },
        "serverInfo": {"name": "agentv", "version": env!("CARGO_PKG_VERSION")},
    })
}

struct Server<'c> {
    connection: &'c Connection,
    project: Project,
    working_dir: PathBuf,
    encoding: Encoding,
    documents: Documents,
    published: Arc<Published>,
    checker: Checker,
    scores: LastScores,
    /// True if the editor can be asked to draw the lenses again.
    refreshes_lenses: bool,
}

impl<'c> Server<'c> {
    fn new(connection: &'c Connection, encoding: Encoding, refreshes_lenses: bool) -> Server<'c> {
        let project = Project::here();
        let published = Arc::new(Published::default());
        let sender = connection.sender.clone();
        // An editor that is gone needs no diagnostics.
        let send = move |message| drop(sender.send(message));
        let here = std::env::current_dir().and_then(std::fs::canonicalize);
        Server {
            connection,
            checker: Checker::start(project.clone(), Arc::clone(&published), encoding, send),
            project,
            working_dir: here.unwrap_or_default(),
            encoding,
            documents: Documents::default(),
            published,
            scores: LastScores::default(),
            refreshes_lenses,
        }
    }

    fn run(mut self) -> Result<(), ServeError> {
        let connection = self.connection;
        for message in &connection.receiver {
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request)? {
                        break;
                    }
                    let response = self.answer(request);
                    self.send(response.into());
                }
                Message::Notification(notification) => self.note(notification),
                Message::Response(_) => {}
            }
        }
        self.checker.finish();
        Ok(())
    }

    fn send(&self, message: Message) {
        // An editor that is gone also ends the loop.
        drop(self.connection.sender.send(message));
    }

    fn note(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let Some(opened) = parsed::<DidOpenTextDocumentParams>(params) else {
                    return;
                };
                let document = opened.text_document;
                let Some(path) = path_of(&document.uri) else {
                    return;
                };
                let text = document.text;
                self.documents
                    .open(document.uri, path.clone(), document.version, text);
                self.check(path, false);
            }
            "textDocument/didChange" => {
                let Some(changed) = parsed::<DidChangeTextDocumentParams>(params) else {
                    return;
                };
                let document = changed.text_document;
                let uri = document.text_document_identifier.uri;
                let Some(path) = path_of(&uri) else { return };
                // The check of the text before this change ends, and no longer holds that text.
                self.checker.interrupt();
                let changes = changed.content_changes;
                self.documents
                    .change(&path, document.version, changes, self.encoding);
                self.check(path, false);
            }
            "textDocument/didClose" => {
                let Some(closed) = parsed::<DidCloseTextDocumentParams>(params) else {
                    return;
                };
                let Some(path) = path_of(&closed.text_document.uri) else {
                    return;
                };
                self.documents.close(&path);
                self.check(path, true);
            }
            // Files beside the documents may have changed on disk.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                let path = self.documents.all().next().map(|open| open.path.clone());
                if let Some(path) = path {
                    self.check(path, false);
                }
            }
            _ => {}
        }
    }

    fn check(&self, changed: PathBuf, is_closed: bool) {
        self.checker.check(Snapshot {
            documents: self.documents.all().cloned().collect(),
            changed,
            is_closed,
            outdated: Outdated::default(),
        });
    }

    fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let result = match method.as_str() {
            "textDocument/completion" => parsed(params).map(|at| self.in_document(at, complete)),
            "textDocument/hover" => parsed(params).map(|at| self.in_document(at, hover)),
            "textDocument/definition" => parsed(params).map(|at| self.in_document(at, definition)),
            "textDocument/prepareRename" => {
                parsed(params).map(|at| self.in_document(at, prepare_rename))
            }
            "textDocument/rename" => match parsed::<RenameParams>(params) {
                Some(params) => match self.renamed(&params) {
                    Ok(edit) => Some(edit),
                    Err(error) => {
                        let code = ErrorCode::RequestFailed as i32;
                        return Response::new_err(id, code, error.to_string());
                    }
                },
                None => None,
            },
            "textDocument/documentSymbol" => parsed::<DocumentSymbolParams>(params).map(|params| {
                let context = self.context(&params.text_document.uri);
                value(&context.map(|context| symbols(&context)))
            }),
            "textDocument/codeAction" => parsed::<CodeActionParams>(params).map(|params| {
                let context = self.context(&params.text_document.uri);
                let fixes = |context| quick_fixes(&context, &self.published, params.range);
                value(&context.map(fixes))
            }),
            "textDocument/codeLens" => parsed::<CodeLensParams>(params).map(|params| {
                let mut scores = std::mem::take(&mut self.scores);
                let context = self.context(&params.text_document.uri);
                let found = value(&context.map(|context| lenses(&context, &mut scores)));
                self.scores = scores;
                found
            }),
            "workspace/executeCommand" => {
                parsed::<ExecuteCommandParams>(params).map(|params| self.execute(params))
            }
            _ => {
                let message = format!("unknown request `{method}`");
                return Response::new_err(id, ErrorCode::MethodNotFound as i32, message);
            }
        };
        match result {
            Some(result) => Response::new_ok(id, result),
            None => {
                let message = format!("invalid parameters of `{method}`");
                Response::new_err(id, ErrorCode::InvalidParams as i32, message)
            }
        }
    }

    /// Returns a document of ours with its surroundings.
    fn context(&self, uri: &Uri) -> Option<Context<'_>> {
        let document = self.documents.get(&path_of(uri)?)?;
        Some(Context {
            document,
            role: document.role?,
            unsaved: self.documents.unsaved(),
            project: &self.project,
            working_dir: &self.working_dir,
            encoding: self.encoding,
        })
    }

    fn in_document<R: Serialize>(
        &self,
        at: TextDocumentPositionParams,
        answer: fn(&Context<'_>, Position) -> R,
    ) -> Value {
        let context = self.context(&at.text_document.uri);
        value(&context.map(|context| answer(&context, at.position)))
    }

    fn renamed(&self, params: &RenameParams) -> Result<Value, RenameError> {
        let at = &params.text_document_position_params;
        let context = self
            .context(&at.text_document.uri)
            .ok_or(RenameError::NotAnId)?;
        Ok(value(&rename(&context, at.position, &params.new_name)?))
    }

    /// Runs a case, and reports its result when it ends.
    fn execute(&self, params: ExecuteCommandParams) -> Value {
        let arguments = params.arguments.unwrap_or_default();
        let text = |at: usize| arguments.get(at).and_then(Value::as_str);
        let file = text(0).and_then(|uri| path_of(&Uri::from(uri)));
        let (Some(file), Some(id)) = (file, text(1)) else {
            return Value::Null;
        };
        if self.is_unsaved(&file) {
            let message = format!("save `{}` first: a run reads it from disk", file.display());
            self.send(shown(&message, 2));
            return Value::Null;
        }
        let case = RunCase {
            file,
            id: id.to_owned(),
            working_dir: self.working_dir.clone(),
        };
        let sender = self.connection.sender.clone();
        let refreshes = self.refreshes_lenses;
        std::thread::spawn(move || {
            let printed = case.run();
            let _ = sender.send(shown(&printed, 3));
            if refreshes {
                let id = format!("refresh-{}", case.id).into();
                let method = "workspace/codeLens/refresh".to_owned();
                let _ = sender.send(Request::new(id, method, Value::Null).into());
            }
        });
        Value::Null
    }

    fn is_unsaved(&self, file: &Path) -> bool {
        let on_disk = std::fs::read_to_string(file).ok();
        let open = self
            .documents
            .get(file)
            .map(|document| document.text.as_str());
        open.is_some_and(|open| Some(open) != on_disk.as_deref())
    }
}

/// Returns a message for the user: 2 is a warning, 3 a piece of information.
fn shown(message: &str, kind: u32) -> Message {
    let params = json!({"type": kind, "message": message});
    Notification::new("window/showMessage".to_owned(), params).into()
}

fn parsed<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

fn value(result: &impl Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_default()
}
