//! The provider that runs agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use agentv_core::{
    BoxFuture, Cause, ProgramFiles, Provider, ProviderError, Request, Secrets, TargetSandbox,
    Transcript, WorkspaceFolders,
};
use agentv_process::{CommandSpec, Ending, ProcessError, Runner, SandboxSpec, Status, Talked};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::acp_client::AcpSession;
use super::conclusion::Conclusion;
use super::draft::Draft;
use super::environment::{clean, shared_cache};
use super::kind::AgentKind;
use super::launch::{Assignment, Launch};
use super::listen::{Listener, Quiet, Silence, StreamLimits};
use super::permissions::Permissions;
use super::program;
use super::proxy::{Ledger, Proxy, ProxySpec};
use super::session_files::session_files;
use super::settings::AgentSettings;
use crate::Environment;
use crate::model::Price;
use crate::network::http_client;
use crate::target::{SettingError, Settings, sandbox};

/// A provider that runs one agent.
struct AgentProvider {
    kind: &'static AgentKind,
    settings: AgentSettings,
    environment: Environment,
    root: PathBuf,
    runner: Runner,
    secrets: Secrets,
}

/// Builds the provider of an agent from the fields of a target.
pub(crate) fn build(
    kind: &'static AgentKind,
    settings: &Settings,
) -> Result<Arc<dyn Provider>, SettingError> {
    let read = AgentSettings::of(kind, settings)?;
    Ok(Arc::new(AgentProvider {
        kind,
        settings: read,
        environment: settings.environment().clone(),
        root: settings.surroundings().root.clone(),
        runner: Runner::of_this_program(),
        secrets: settings.secret_values().secrets,
    }))
}

impl AgentProvider {
    async fn work(
        &self,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<Transcript, ProviderError> {
        let Some(folders) = &request.workspace else {
            // A judge, or a check of the target.
            let (_place, folders) = self.empty_workspace()?;
            let request = Request {
                workspace: Some(Arc::new(folders)),
                ..request.clone()
            };
            return Box::pin(self.work(&request, cancel)).await;
        };
        let started = Instant::now();
        let proxy = self.proxy(request).await?;
        let launch = self.launch(folders, proxy.as_ref());
        launch.prepare().map_err(|error| {
            let message = format!(
                "cannot write the configuration of {}: {error}",
                self.kind.name
            );
            ProviderError::new(Cause::Setup, message)
        })?;
        let spec = self.spec(request, folders, launch);
        let spec = self.walled(spec, request, folders, proxy.as_ref());
        let mut listener = Listener::new(
            Draft::new(self.kind),
            (self.kind.reader)(),
            &request.activity,
        );
        let session = self.kind.speaks_acp.then(|| AcpSession {
            prompt: request.prompt.text(),
            folder: &folders.work,
            model: self.settings.model.as_deref(),
            permissions: self.settings.permissions,
        });
        let limits = StreamLimits {
            max_turns: self.settings.max_turns,
            allowance: &request.allowance,
            price: self.price(),
        };
        let limits = proxy.is_none().then_some(&limits);
        let talked = self.talk(spec, cancel, &mut listener, proxy.as_ref(), session, limits);
        let talked = talked.await.map_err(|error| self.not_started(&error))?;
        let Listener {
            draft, reader, raw, ..
        } = listener;
        let ledger = proxy.as_ref().map(Proxy::ledger);
        let exit = self.kind.turn_limit_exit.map(Status::Exited);
        Conclusion {
            name: self.kind.name,
            draft: self.completed(draft, reader, folders, request, ledger),
            raw,
            silence: talked.result,
            ending: talked.ending,
            stderr: &talked.stderr,
            took: started.elapsed(),
            timeout: request.timeout,
            idle: self.settings.idle,
            limit: match talked.result {
                Silence::Exceeded(limit) => Some(limit),
                _ => ledger.and_then(|ledger| ledger.reached()),
            },
            trouble: ledger.and_then(|ledger| ledger.trouble()),
            exit_says_limited: self.settings.max_turns.is_some()
                && exit.is_some_and(|exit| talked.ending == Ending::Exited(exit)),
            secrets: &self.secrets,
            addresses: proxy
                .as_ref()
                .map(|proxy| (proxy.address(), self.base_url())),
        }
        .draw()
    }

    /// Makes a workspace for an agent that is asked without one. It is removed with the first value.
    fn empty_workspace(&self) -> Result<(TempDir, WorkspaceFolders), ProviderError> {
        let make = || {
            let place = tempfile::tempdir()?;
            // As deep as the workspaces of a run, whose place a sandbox hides.
            let root = place.path().canonicalize()?.join("run/trial");
            let folders = WorkspaceFolders {
                work: root.join("work"),
                home: root.join("home"),
                tmp: root.join("tmp"),
            };
            for folder in [&folders.work, &folders.home, &folders.tmp] {
                std::fs::create_dir_all(folder)?;
            }
            Ok((place, folders))
        };
        make().map_err(|error: std::io::Error| {
            let message = format!("cannot make a workspace for {}: {error}", self.kind.name);
            ProviderError::new(Cause::Setup, message)
        })
    }

    /// Runs the agent while the proxy serves it.
    async fn talk(
        &self,
        spec: CommandSpec,
        cancel: &CancellationToken,
        listener: &mut Listener<'_>,
        proxy: Option<&Proxy>,
        session: Option<AcpSession<'_>>,
        limits: Option<&StreamLimits<'_>>,
    ) -> Result<Talked<Silence>, ProcessError> {
        let idle = self.settings.idle;
        let talking = self.runner.talk(spec, cancel, async |dialogue| {
            if let Some(session) = session {
                return session.hold(listener, dialogue, idle).await;
            }
            let refused = async {
                match proxy {
                    Some(proxy) => proxy.ledger().refused().await,
                    None => std::future::pending().await,
                }
            };
            // A model that answers slowly is a sign of life, even if the agent prints nothing.
            let quiet = Quiet {
                longest: idle,
                traffic: &|| proxy.and_then(|proxy| proxy.ledger().since_traffic()),
            };
            listener.listen(dialogue, quiet, refused, limits).await
        });
        match proxy {
            None => talking.await,
            Some(proxy) => tokio::select! {
                talked = talking => talked,
                never = proxy.serve() => match never {},
            },
        }
    }

    /// Opens the proxy of a trial, unless the target has none: the user turned it off, or nothing is
    /// known that it could hold.
    async fn proxy(&self, request: &Request) -> Result<Option<Proxy>, ProviderError> {
        let settings = &self.settings;
        if !settings.has_proxy() {
            return Ok(None);
        }
        let failed = |error: String| {
            let message = format!("cannot open the proxy of {}: {error}", self.kind.name);
            ProviderError::new(Cause::Setup, message)
        };
        let api = (self.kind.api)(settings);
        let base_url = self.base_url();
        let spec = ProxySpec {
            client: http_client().map_err(|error| failed(error.to_string()))?,
            base_url: base_url.to_owned(),
            query: settings.query.clone(),
            auth: api.auth,
            key: settings.api_key.clone(),
            max_turns: settings.max_turns,
            allowance: request.allowance.clone(),
            price: settings.price,
            prices: api.prices,
            failures_are_final: self.kind.keeps_retrying,
        };
        let opened = Proxy::open(spec).await;
        opened.map(Some).map_err(|error| failed(error.to_string()))
    }

    fn launch(&self, folders: &WorkspaceFolders, proxy: Option<&Proxy>) -> Launch {
        let cache = shared_cache(&self.environment);
        let (base_url, api_key) = match proxy {
            Some(proxy) => (Some(proxy.address()), Some(proxy.key())),
            None => (
                self.settings.base_url.as_deref(),
                self.settings.api_key.as_deref(),
            ),
        };
        (self.kind.launch)(&Assignment {
            settings: &self.settings,
            folders,
            base_url,
            api_key,
            shared_cache: cache.as_deref(),
            is_root: is_root(),
        })
    }

    /// Returns the command that runs the agent for a trial.
    fn spec(&self, request: &Request, folders: &WorkspaceFolders, launch: Launch) -> CommandSpec {
        let command = program::absolute(&self.settings.command, &request.folder);
        let mut words = command.iter();
        let first = words.next().map_or(self.kind.program, String::as_str);
        let spec = CommandSpec::program(first)
            .args(words)
            .args(&launch.arguments)
            .args(&self.settings.args)
            .current_dir(&folders.work)
            .deadline(request.timeout);
        let spec = if self.kind.speaks_acp {
            spec
        } else {
            spec.stdin(request.prompt.text())
        };
        clean(
            spec,
            &self.settings,
            &self.environment,
            folders,
            &launch.variables,
        )
    }

    /// Puts the command into the sandbox of the target, if it has one. The program and the proxy stay
    /// reachable.
    fn walled(
        &self,
        spec: CommandSpec,
        request: &Request,
        folders: &WorkspaceFolders,
        proxy: Option<&Proxy>,
    ) -> CommandSpec {
        let Some(sandbox) = &self.settings.sandbox else {
            return spec;
        };
        let command = &self.settings.command;
        let readable = if sandbox.is_container() {
            program::project_folders(command, &request.folder)
        } else {
            program::folders(command, &request.folder, &self.environment)
        };
        let ports = proxy.map(Proxy::port).into_iter().collect();
        spec.sandbox(SandboxSpec::around(folders, sandbox, readable, ports))
    }

    /// Completes a draft with the files that the agent has left.
    fn completed(
        &self,
        mut draft: Draft,
        mut reader: Box<dyn super::ReadEvents>,
        folders: &WorkspaceFolders,
        request: &Request,
        ledger: Option<&Arc<Ledger>>,
    ) -> Draft {
        for file in session_files(&folders.home, self.kind.sessions) {
            reader.session_file(&file.name, &file.text, &mut draft);
        }
        reader.end(&mut draft);
        if !draft.has_version()
            && let Some(word) = self.settings.command.first()
            && let Some(version) = program::version(word, &request.folder, &self.environment)
        {
            draft.version(&version);
        }
        if let Some(ledger) = ledger {
            account(ledger, &mut draft);
        }
        if let Some(price) = self.settings.price {
            // The user's price decides over the one that the agent knows.
            draft.price_again(price, ledger.and_then(|ledger| ledger.cost()));
        }
        if let (false, Some(cost)) = (draft.has_cost(), draft.cost_so_far(self.price())) {
            draft.count_cost(cost);
        }
        let withholds =
            self.settings.tools.is_some() || self.settings.permissions == Permissions::ReadOnly;
        if withholds {
            draft.deny_unavailable();
        }
        draft
    }

    /// Returns the address of the API, as the user set it or by default.
    fn base_url(&self) -> &str {
        let api = (self.kind.api)(&self.settings);
        self.settings.base_url.as_deref().unwrap_or(api.base_url)
    }

    /// Returns the price of the model, as the user set it or by the table.
    fn price(&self) -> Option<Price> {
        self.settings.price.or(self.settings.listed_price)
    }

    /// Checks that the program exists.
    fn find_program(&self) -> Result<(), ProviderError> {
        match self.settings.command.first() {
            Some(word) if program::is_missing(word, &self.environment) => Err(self.missing(word)),
            _ => Ok(()),
        }
    }

    /// Returns the error of a program that does not exist.
    fn missing(&self, program: &str) -> ProviderError {
        let name = self.kind.name;
        let message =
            format!("`{program}` was not found; install {name}, or set `command` of the target");
        ProviderError::new(Cause::Setup, message)
    }

    fn not_started(&self, error: &ProcessError) -> ProviderError {
        match error {
            ProcessError::Cancelled => ProviderError::cancelled(),
            ProcessError::NotFound { program } => self.missing(&program.to_string_lossy()),
            error => ProviderError::new(Cause::Command, error.to_string()),
        }
    }
}

/// Completes a draft with the account of the proxy, where the agent reports nothing itself.
fn account(ledger: &Ledger, draft: &mut Draft) {
    if let (false, Some(tokens)) = (draft.has_tokens(), ledger.tokens()) {
        draft.set_tokens(tokens);
    }
    if let (false, Some(cost)) = (draft.has_cost(), ledger.cost()) {
        draft.count_cost(cost);
    }
    draft.add_retries(ledger.retries());
    if let Some(facts) = ledger.facts() {
        draft.fact("proxy", facts);
    }
}

/// Returns true if this program runs as root.
fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}

impl Provider for AgentProvider {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(self.work(request, cancel))
    }

    fn prepare<'a>(
        &'a self,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async {
            let Some(sandbox) = &self.settings.sandbox else {
                return self.find_program();
            };
            sandbox::check(sandbox, cancel).await?;
            // A container has programs of its own.
            if sandbox.is_container() {
                return Ok(());
            }
            self.find_program()
        })
    }

    fn program(&self, folder: &Path) -> ProgramFiles {
        program::files(
            &self.settings.command,
            folder,
            &self.root,
            &self.environment,
        )
    }

    fn needs_workspace(&self) -> bool {
        true
    }

    fn sandbox(&self) -> Option<&TargetSandbox> {
        self.settings.sandbox.as_ref()
    }

    fn enforces_budget(&self) -> bool {
        self.settings.has_proxy() || self.kind.streams_cost
    }

    fn knows_cost(&self) -> bool {
        // The agent's own model is not known before the run.
        self.settings.model.is_none() || self.price().is_some()
    }

    /// An agent that has called a tool may have changed anything, and one that timed out would again.
    fn may_repeat(&self, error: &ProviderError) -> bool {
        let partial = error.partial.as_deref();
        let has_acted = partial.is_some_and(|partial| partial.tool_calls().next().is_some());
        !has_acted && error.cause != Cause::Timeout
    }
}
