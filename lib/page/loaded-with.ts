import type { Metafile } from 'esbuild';

/** Returns the path of a file built by esbuild, with the paths of its direct and indirect static imports. */
export function loadedWith(file: string, outputs: Metafile['outputs'], seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of outputs[file]!.imports) {
    if (kind === 'import-statement' && path in outputs) loadedWith(path, outputs, seen);
  }
  return seen;
}
