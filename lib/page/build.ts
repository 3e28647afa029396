import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type BuildOptions, build, formatMessages, type Metafile, type Plugin, stop } from 'esbuild';
import type { ConsoleFile, ConsoleFiles } from '#lib/platform/assets.ts';
import { loadedWith } from './loaded-with.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = 'console/main.tsx';
const PAGE = 'console/index.html';

/** The first of each that has `light-dark()`. */
const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

const OPTIONS = {
  entryPoints: [ENTRY],
  outdir: 'assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: BROWSERS,
  charset: 'utf8',
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/**
 * Builds the console from its sources: the entry, a file for each page that is loaded late and for what they share,
 * all named by their content, one style sheet, and the page that names what is loaded first. Throws an Error that says
 * what is wrong with the sources.
 * @param generated the JSON files that sources import as `#generated/<name>`: their text by name
 */
export async function buildConsole(generated: Readonly<Record<string, string>>): Promise<ConsoleFiles> {
  const { metafile, outputFiles } = await bundled(generated);
  const page = withNames(await readFile(join(ROOT, PAGE), 'utf8'), metafile.outputs);
  const assets = outputFiles.map(async ({ path, contents }): Promise<[string, ConsoleFile]> => {
    const name = basename(path);
    return [name, await packed(name, contents)];
  });
  return {
    page: await packed(PAGE, Buffer.from(page)),
    // Weak: the packed forms differ, what they hold does not.
    etag: `W/"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`,
    assets: Object.fromEntries(await Promise.all(assets)),
  };
}

async function bundled(generated: Readonly<Record<string, string>>) {
  try {
    const result = await build({ ...OPTIONS, plugins: [fromMemory(generated)] });
    if (result.warnings.length > 0)
      throw new Error((await formatMessages(result.warnings, { kind: 'warning' })).join(''));
    return result;
  } finally {
    // Else its process would stay as long as ours.
    await stop();
  }
}

const GENERATED = '#generated/';

/** Resolves imports of generated files, so that a build works in a folder that cannot be written. */
const fromMemory = (generated: Readonly<Record<string, string>>): Plugin => ({
  name: 'generated',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^${GENERATED}`) }, ({ path }) => ({ path, namespace: 'generated' }));
    onLoad({ filter: /./, namespace: 'generated' }, ({ path }) => {
      const contents = generated[path.slice(GENERATED.length)];
      return contents === undefined
        ? { errors: [{ text: `${path} is not generated.` }] }
        : { contents, loader: 'json' };
    });
  },
});

/** The page with the names that its files got, and with what the entry imports asked for at once. */
function withNames(html: string, outputs: Metafile['outputs']): string {
  const [script, { cssBundle }] = Object.entries(outputs).find(([, one]) => one.entryPoint === ENTRY)!;
  const lost = Object.keys(outputs).filter((file) => file.endsWith('.css') && file !== cssBundle);
  if (cssBundle === undefined || lost.length > 0) {
    throw new Error(
      `Every style sheet is imported by ${ENTRY} or by what it imports: that of a late page never loads.`,
    );
  }
  const [, ...soon] = loadedWith(script, outputs);
  const preloads = soon.map((file) => `<link rel="modulepreload" href="${addressOf(file)}">`);
  const names = [
    ['/assets/main.css', addressOf(cssBundle)],
    ['/assets/main.js', addressOf(script)],
    ['</head>', `${preloads.join('')}</head>`],
  ] as const;
  return names.reduce((text, [placeholder, name]) => {
    if (!text.includes(placeholder)) throw new Error(`${PAGE} has no ${placeholder}.`);
    return text.replace(placeholder, () => name);
  }, html);
}

const addressOf = (output: string): string => `/assets/${basename(output)}`;

const pack = { brotli: promisify(brotliCompress), gzip: promisify(gzip) };

async function packed(name: string, content: Uint8Array): Promise<ConsoleFile> {
  const type = TYPES[extname(name)];
  if (type === undefined) throw new Error(`lib/page/build.ts knows no type of files such as ${name}.`);
  // Level 9 of 11: a tenth of the time, and hardly larger.
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  };
  const [br, gzipped] = await Promise.all([pack.brotli(content, options), pack.gzip(content, { level: 9 })]);
  return { type, br: br.toString('base64'), gzip: gzipped.toString('base64') };
}
