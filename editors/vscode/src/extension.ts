// Starts `agentv lsp` for YAML and JSON Lines. Everything else is in the server.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

/** Starts the server with the program that the settings name. */
async function start(): Promise<void> {
  const command = vscode.workspace.getConfiguration("agentv").get<string>("path", "agentv");
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "yaml" },
      { scheme: "file", language: "jsonl" },
      { scheme: "file", pattern: "**/*.jsonl" },
    ],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,jsonl,csv,md}") },
  };
  client = new LanguageClient("agentv", "agentv", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const message = `agentv: \`${command} lsp\` cannot be started. Install agentv, or set "agentv.path".`;
    void vscode.window.showErrorMessage(`${message} (${error})`);
  }
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  await stopped?.stop();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("agentv.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("agentv.path")) {
        void restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
