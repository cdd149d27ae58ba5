// Reads {code | file, function, output, context} from stdin, runs the user's code, and prints its result.
const fs = require('node:fs');
const { pathToFileURL } = require('node:url');

const request = JSON.parse(fs.readFileSync(0, 'utf8'));
// Only the result goes to stdout.
for (const name of ['log', 'info', 'debug']) console[name] = console.error;

function inline(code) {
  const trimmed = code.trimEnd();
  const make = (body) => new Function('output', 'context', 'require', 'process', body);
  if (trimmed.includes('\n')) return make(trimmed);
  try {
    return make(`return (${trimmed.replace(/;\s*$/, '')}\n)`);
  } catch {
    return make(trimmed);
  }
}

async function fromFile(file, name) {
  const module = await import(pathToFileURL(file));
  const exported = module.default ?? module;
  const found = name ? (module[name] ?? exported[name]) : (exported.default ?? exported);
  if (typeof found !== 'function') {
    throw new Error(`${file} does not export the function ${name ?? '(default)'}`);
  }
  return found;
}

(async () => {
  const check = request.file
    ? await fromFile(request.file, request.function)
    : inline(request.code);
  const result = await check(request.output, request.context, require, process);
  const text = JSON.stringify({ result: result === undefined ? null : result });
  fs.writeSync(1, text);
  process.exit(0);
})().catch((error) => {
  process.stderr.write(String(error));
  process.exit(1);
});
