import { generate } from '#infra/docs/generate.ts';
import { buildDocs } from '#infra/docs/site/build-site.ts';
import { buildConsole } from '#lib/page/build.ts';
import type { PackedFile } from '#lib/platform/assets.ts';

// Built when this module is loaded, because bundle() is synchronous.
const generated = generate();
const { page, etag, assets } = await buildConsole(generated.console);
const docs = await buildDocs(generated.openApi);

/** Returns code that exports `result`. It contains the files in brotli form, and creates the gzip form on demand. */
const packed = (files: Readonly<Record<string, PackedFile>>, result: string): string =>
  [
    "import { brotliDecompressSync, gzipSync } from 'node:zlib';",
    "const gzipOf = (br) => gzipSync(brotliDecompressSync(Buffer.from(br, 'base64')), { level: 9 }).toString('base64');",
    `const files = ${JSON.stringify(files, (name, value) => (name === 'gzip' ? undefined : value))};`,
    'for (const file of Object.values(files)) {',
    "  Object.defineProperty(file, 'gzip', { get: () => gzipOf(file.br) });",
    '}',
    `export default ${result};`,
    '',
  ].join('\n');

/** Returns the code of a module with the current files of the console. */
export const packedConsole = (): string =>
  packed({ page, ...assets }, `(({ page, ...assets }) => ({ page, etag: ${JSON.stringify(etag)}, assets }))(files)`);

/** Returns the code of a module with the current docs. */
export const packedDocs = (): string => packed(docs, 'files');
