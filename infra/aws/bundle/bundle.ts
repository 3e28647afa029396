import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';
import type { FunctionName } from '#infra/topology.ts';
import { loadedWith } from '#lib/page/loaded-with.ts';
import { entryOf, PACKED } from './entry.ts';
import { packedConsole, packedDocs } from './packed-console.ts';
import { packedOpenApi } from './packed-openapi.ts';
import { mapAfterCuts, type SourceMapFile } from './source-map.ts';
import { type Cut, withoutDocumentation } from './without-documentation.ts';

type Bundle = {
  dir: string;
  /** Bytes that are loaded at the start. */
  bytes: number;
  /** Additional bytes loaded with each lazy file. */
  lazy_bytes: Readonly<Record<string, number>>;
  all_bytes: number;
  inputs: string[];
  /** Returns the source maps by name of the file. They are not deployed. */
  maps(): Readonly<Record<string, SourceMapFile>>;
};

const ROOT = join(import.meta.dirname, '../../..');

/** Some packages are CommonJS inside and need `require` at run time. */
const REQUIRE = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** Replacements of package parts that no function uses. Saves 40 KB at each start, and another 100 KB in the bundle. */
const REPLACED = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts'),
  '@smithy/core/event-streams': join(import.meta.dirname, 'excluded-module.ts'),
  bowser: join(import.meta.dirname, 'excluded-module.ts'),
  'mnemonist/lru-cache': join(import.meta.dirname, 'plain-cache.ts'),
};

const bundles = new Map<FunctionName, Bundle>();

/** Bundles the modules that a function uses, once per process, in a folder that is deleted at exit. */
export function bundle(name: FunctionName): Bundle {
  const known = bundles.get(name) ?? build(name);
  bundles.set(name, known);
  return known;
}

const OPENAPI = 'openapi-document.mjs';
const CONSOLE = 'console-files.mjs';
const DOCS = 'docs-files.mjs';
/** Fixed folder: esbuild derives file names from module paths, and a changed name would count as changed code. */
const PACKED_DIR = join(ROOT, '.cache/packed');
let folder: string | undefined;
function makeFolder(): string {
  mkdirSync(PACKED_DIR, { recursive: true });
  writePacked(OPENAPI, packedOpenApi());
  writePacked(CONSOLE, packedConsole());
  writePacked(DOCS, packedDocs());
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-bundles-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Replaces a file at once, because another process may read it. */
function writePacked(name: string, code: string): void {
  const unfinished = join(PACKED_DIR, `${name}.${process.pid}.${randomUUID()}`);
  writeFileSync(unfinished, code);
  renameSync(unfinished, join(PACKED_DIR, name));
}

function build(name: FunctionName): Bundle {
  folder ??= makeFolder();
  const dir = join(folder, name);
  const { metafile, outputFiles } = buildSync({
    stdin: { contents: entryOf(name), resolveDir: ROOT, sourcefile: `${name}.entry.ts`, loader: 'ts' },
    outdir: dir,
    entryNames: 'index',
    outExtension: { '.js': '.mjs' },
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias: {
      ...REPLACED,
      [PACKED.openApi]: join(PACKED_DIR, OPENAPI),
      [PACKED.console]: join(PACKED_DIR, CONSOLE),
      [PACKED.docs]: join(PACKED_DIR, DOCS),
    },
    banner: { js: REQUIRE },
    legalComments: 'none',
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    write: false,
    logLevel: 'error',
  });
  const { outputs } = metafile;
  mkdirSync(dir);
  const maps: [string, () => SourceMapFile][] = [];
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  for (const [path, text] of texts) {
    if (path.endsWith('.map')) {
      delete outputs[relative(ROOT, path)];
      continue;
    }
    const { code, cuts } = withoutDocumentation(text);
    writeFileSync(path, code);
    outputs[relative(ROOT, path)]!.bytes = Buffer.byteLength(code);
    const map = () => mapOf(path, JSON.parse(texts.get(`${path}.map`)!), { before: text, after: code, cuts });
    maps.push([basename(path), map]);
  }
  const sum = (files: Iterable<string>) => [...files].reduce((bytes, file) => bytes + outputs[file]!.bytes, 0);
  const entry = Object.keys(outputs).find((file) => file.endsWith('/index.mjs'))!;
  const atStart = loadedWith(entry, outputs);
  const lazy = Object.entries(outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint && file !== entry ? [[nameOf(entryPoint), sum(loadedWith(file, outputs).difference(atStart))]] : [],
  );
  return {
    dir,
    bytes: sum(atStart),
    lazy_bytes: Object.fromEntries(lazy),
    all_bytes: sum(Object.keys(outputs)),
    inputs: Object.keys(metafile.inputs),
    maps: () => Object.fromEntries(maps.map(([file, make]) => [file, make()])),
  };
}

/** Returns the source map of a written file, with sources relative to the repository. */
function mapOf(
  path: string,
  map: SourceMapFile,
  { before, after, cuts }: { before: string; after: string; cuts: Cut[] },
): SourceMapFile {
  const sources = map.sources.map((source) => relative(ROOT, join(dirname(path), source)));
  return mapAfterCuts({ ...map, sources }, before, after, cuts);
}

/** Returns the path in the repository, or the file name if the file was generated for the bundles. */
const nameOf = (file: string): string => (file.startsWith('.') ? basename(file) : file);
