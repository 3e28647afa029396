import { buildConsole, type ConsoleFile } from '#lib/page/build.ts';

// Built while this module is loaded, as what makes the bundles waits for nothing.
const { page, etag, assets } = await buildConsole();

const lean = ({ type, br }: ConsoleFile) => ({ type, br });
const leanAssets = Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, lean(file)]));

/**
 * A module in place of lib/page/files.ts: the files as they are now, and nothing that builds them. It carries the
 * smaller of their packed forms, and makes the other one of it when that is asked for.
 */
export const packedConsole = (): string =>
  [
    "import { brotliDecompressSync, gzipSync } from 'node:zlib';",
    "const gzipOf = (br) => gzipSync(brotliDecompressSync(Buffer.from(br, 'base64')), { level: 9 }).toString('base64');",
    `const files = ${JSON.stringify({ page: lean(page), etag, assets: leanAssets })};`,
    'for (const file of [files.page, ...Object.values(files.assets)]) {',
    "  Object.defineProperty(file, 'gzip', { get: () => gzipOf(file.br) });",
    '}',
    'export const consoleFiles = async () => files;',
    '',
  ].join('\n');
