import type { Metafile } from 'esbuild';

/** Returns a file built by esbuild with all its static imports, transitively. */
export function loadedWith(file: string, outputs: Metafile['outputs'], seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of outputs[file]!.imports) {
    if (kind === 'import-statement' && path in outputs) loadedWith(path, outputs, seen);
  }
  return seen;
}
