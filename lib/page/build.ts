import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type BuildOptions, build, formatMessages, type Metafile, type Plugin, stop } from 'esbuild';
import type { ConsoleFiles, PackedFile } from '#lib/platform/assets.ts';
import { loadedWith } from './loaded-with.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = 'console/main.tsx';
const PAGE = 'console/index.html';

/** Oldest supported browsers: the first versions with `light-dark()`. */
export const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

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
  '.json': 'application/json; charset=utf-8',
};

/**
 * Builds the console. All file names except that of the page contain a content hash. Throws an Error with the problem.
 * @param generated text of the JSON files imported as `#generated/<name>`, by name
 */
export async function buildConsole(generated: Readonly<Record<string, string>>): Promise<ConsoleFiles> {
  const { metafile, outputFiles } = await bundle(generated);
  const page = withAssetPaths(await readFile(join(ROOT, PAGE), 'utf8'), metafile.outputs);
  const assets = outputFiles.map(async ({ path, contents }): Promise<[string, PackedFile]> => {
    const name = basename(path);
    return [name, await compress(name, contents)];
  });
  return {
    page: await compress(PAGE, Buffer.from(page)),
    // Weak, because it covers all encodings.
    etag: `W/"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`,
    assets: Object.fromEntries(await Promise.all(assets)),
  };
}

async function bundle(generated: Readonly<Record<string, string>>) {
  try {
    const result = await build({ ...OPTIONS, plugins: [generatedFiles(generated)] });
    if (result.warnings.length > 0)
      throw new Error((await formatMessages(result.warnings, { kind: 'warning' })).join(''));
    return result;
  } finally {
    // Otherwise the esbuild process runs until this process ends.
    await stop();
  }
}

const GENERATED = '#generated/';

/** Returns a plugin that provides generated files from memory, so that a build needs no writable folder. */
const generatedFiles = (generated: Readonly<Record<string, string>>): Plugin => ({
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

function withAssetPaths(html: string, outputs: Metafile['outputs']): string {
  const [script, { cssBundle }] = Object.entries(outputs).find(([, output]) => output.entryPoint === ENTRY)!;
  const unlinked = Object.keys(outputs).filter((file) => file.endsWith('.css') && file !== cssBundle);
  if (cssBundle === undefined || unlinked.length > 0) {
    throw new Error(
      `Import every style sheet in ${ENTRY} or its static imports: the style sheet of a lazy page never loads.`,
    );
  }
  const [, ...preloaded] = loadedWith(script, outputs);
  const preloads = preloaded.map((file) => `<link rel="modulepreload" href="${assetPath(file)}">`);
  const replacements = [
    ['/assets/main.css', assetPath(cssBundle)],
    ['/assets/main.js', assetPath(script)],
    ['</head>', `${preloads.join('')}</head>`],
  ] as const;
  return replacements.reduce((text, [placeholder, replacement]) => {
    if (!text.includes(placeholder)) throw new Error(`${PAGE} has no ${placeholder}.`);
    return text.replace(placeholder, () => replacement);
  }, html);
}

const assetPath = (output: string): string => `/assets/${basename(output)}`;

const encoders = { brotli: promisify(brotliCompress), gzip: promisify(gzip) };

/** Compresses a file. @param name its extension decides the content type */
export async function compress(name: string, content: Uint8Array): Promise<PackedFile> {
  const type = TYPES[extname(name)];
  if (type === undefined) throw new Error(`lib/page/build.ts has no content type for ${name}.`);
  // Compared with the maximum of 11, 9 takes a tenth of the time, and the result is hardly larger.
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  };
  const [br, gzipped] = await Promise.all([encoders.brotli(content, options), encoders.gzip(content, { level: 9 })]);
  return { type, br: br.toString('base64'), gzip: gzipped.toString('base64') };
}
