import type { Metafile } from 'esbuild';

/** A file that esbuild made, and all that is loaded with it: what it imports at its top, and so on. */
export function loadedWith(file: string, outputs: Metafile['outputs'], seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of outputs[file]!.imports) {
    if (kind === 'import-statement' && path in outputs) loadedWith(path, outputs, seen);
  }
  return seen;
}
