import { brotliCompressSync } from 'node:zlib';
import { generate } from '#infra/docs/generate.ts';

/** Returns a module with the OpenAPI document, compressed to a tenth, which it decompresses when it is loaded. */
export function packedOpenApi(): string {
  const packed = brotliCompressSync(JSON.stringify(generate().openApi)).toString('base64');
  return [
    "import { brotliDecompressSync } from 'node:zlib';",
    `export default brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString();`,
    '',
  ].join('\n');
}
