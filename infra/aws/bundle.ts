import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { FunctionName } from '#infra/topology.ts';
import { entryOf } from './entry.ts';

export type Bundle = {
  /** The folder that is deployed: one minified file. */
  dir: string;
  bytes: number;
  /** Every module that went in. */
  inputs: string[];
};

const ROOT = join(import.meta.dirname, '../..');

/** Some packages are CommonJS inside and ask for `require` when they run. */
const REQUIRE = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** Parts of packages that no function can use, and that would be a quarter of its code. */
const WITHOUT = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts'),
  '@nats-io/nkeys': join(import.meta.dirname, 'without-nkeys.ts'),
};

/** One file of everything that a function uses and nothing else, under `<out>/<name>/`. */
export function bundle(name: FunctionName, out = join(ROOT, '.cache/bundles')): Bundle {
  const dir = join(out, name);
  rmSync(dir, { recursive: true, force: true });
  const { metafile } = buildSync({
    stdin: { contents: entryOf(name), resolveDir: ROOT, sourcefile: `${name}.entry.ts`, loader: 'ts' },
    outfile: join(dir, 'index.mjs'),
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias: WITHOUT,
    banner: { js: REQUIRE },
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const [file] = Object.values(metafile.outputs);
  return { dir, bytes: file!.bytes, inputs: Object.keys(metafile.inputs) };
}
