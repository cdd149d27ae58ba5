// FOLDERS is set above: the folders that may be changed.
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

// Returns a path without links. The last parts may not exist yet.
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}

function isInside(path) {
  const file = real(resolve(path));
  return FOLDERS.some((folder) => {
    const rest = relative(folder, file);
    return rest.split("/")[0] !== ".." && !isAbsolute(rest);
  });
}
