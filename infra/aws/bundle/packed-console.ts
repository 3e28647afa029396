import { generate } from '#infra/docs/generate.ts';
import { buildConsole } from '#lib/page/build.ts';
import type { ConsoleFile } from '#lib/platform/assets.ts';

// Built while this module is loaded, as what makes the bundles waits for nothing.
const { page, etag, assets } = await buildConsole(generate().console);

const lean = ({ type, br }: ConsoleFile) => ({ type, br });
const leanAssets = Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, lean(file)]));

/**
 * Returns the text of a module with the files of the console as they are now. It carries the smaller of their packed
 * forms, and makes the other one of it when that is asked for.
 */
export const packedConsole = (): string =>
  [
    "import { brotliDecompressSync, gzipSync } from 'node:zlib';",
    "const gzipOf = (br) => gzipSync(brotliDecompressSync(Buffer.from(br, 'base64')), { level: 9 }).toString('base64');",
    `const files = ${JSON.stringify({ page: lean(page), etag, assets: leanAssets })};`,
    'for (const file of [files.page, ...Object.values(files.assets)]) {',
    "  Object.defineProperty(file, 'gzip', { get: () => gzipOf(file.br) });",
    '}',
    'export default files;',
    '',
  ].join('\n');
