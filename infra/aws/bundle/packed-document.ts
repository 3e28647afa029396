import { brotliCompressSync } from 'node:zlib';
import { generate } from '#infra/docs/generate.ts';

/** Returns a module with the document, compressed to a tenth and decompressed when it is loaded. */
export function packedDocument(): string {
  const packed = brotliCompressSync(JSON.stringify(generate().document)).toString('base64');
  return [
    "import { brotliDecompressSync } from 'node:zlib';",
    `export default brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString();`,
    '',
  ].join('\n');
}
