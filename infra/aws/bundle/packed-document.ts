import { brotliCompressSync } from 'node:zlib';
import { generate } from '#infra/docs/generate.ts';

/** Returns the text of a module with the document, compressed to a tenth; it is unpacked when the module is loaded. */
export function packedDocument(): string {
  const packed = brotliCompressSync(JSON.stringify(generate().document)).toString('base64');
  return [
    "import { brotliDecompressSync } from 'node:zlib';",
    `export default brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString();`,
    '',
  ].join('\n');
}
