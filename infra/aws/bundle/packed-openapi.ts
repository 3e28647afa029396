import { brotliCompressSync } from 'node:zlib';
import { generate } from '#infra/docs/generate.ts';

/** Returns the code of a module with the OpenAPI document, compressed to a tenth and decompressed on load. */
export function packedOpenApi(): string {
  const packed = brotliCompressSync(JSON.stringify(generate().openApi)).toString('base64');
  return [
    "import { brotliDecompressSync } from 'node:zlib';",
    `export default brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString();`,
    '',
  ].join('\n');
}
