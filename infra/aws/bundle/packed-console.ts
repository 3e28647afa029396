import { generate } from '#infra/docs/generate.ts';
import { buildConsole } from '#lib/page/build.ts';
import type { ConsoleFile } from '#lib/platform/assets.ts';

// Built when this module is loaded, because bundle() is synchronous.
const { page, etag, assets } = await buildConsole(generate().console);

const lean = ({ type, br }: ConsoleFile) => ({ type, br });
const leanAssets = Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, lean(file)]));

/** Returns a module with the current files of the console. It contains the brotli form and derives gzip on demand. */
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
