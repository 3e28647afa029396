import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRows } from '#lib/all-rows.ts';
import { FORWARDED_AUTHORIZATION } from '#lib/platform/aws/lambda/streaming-lambda.ts';

const SOURCE = readFileSync(join(import.meta.dirname, 'viewer-request.js'), 'utf8');
const PLACE = 'const DATA = null;';

/**
 * The code of the CloudFront Function, viewer-request.js with its data: what is open without a key comes from the rows
 * of the API.
 * @param api id of the origin that has all but the streams
 * @param streamed paths whose GET stays with the function that streams
 * @param origins of pages that may read an answer, `*` alone for any
 */
export function edgeCode({ api, streamed, origins }: { api: string; streamed: string[]; origins: string[] }): string {
  const open = allRows
    .filter(({ access }) => access === 'open')
    .map(({ method, path }) => ({ method, path: path.split('/') }));
  const data = { open, origins, streamed, api, forwarded_authorization: FORWARDED_AUTHORIZATION };
  return SOURCE.replace(PLACE, () => `const DATA = ${JSON.stringify(data)};`);
}
