import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const DOCUMENT = join(import.meta.dirname, '../../../lib/openapi.json');

/** A module in place of lib/openapi-document.ts, compressed to a tenth; it is unpacked when it is asked for. */
export function packedDocument(): string {
  const packed = brotliCompressSync(JSON.stringify(JSON.parse(readFileSync(DOCUMENT, 'utf8')))).toString('base64');
  return [
    "import { brotliDecompressSync } from 'node:zlib';",
    `export default JSON.parse(brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString());`,
    '',
  ].join('\n');
}
