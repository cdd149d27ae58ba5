
let text = "";
for await (const chunk of process.stdin) text += chunk;
const input = JSON.parse(text).tool_input ?? {};
const path = input.file_path ?? input.notebook_path;
if (path !== undefined && !isInside(String(path))) {
  const decision = {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: REASON,
  };
  console.log(JSON.stringify({ hookSpecificOutput: decision }));
}
