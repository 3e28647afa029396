import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { compressResponses } from '#lib/platform/http/compress-response.ts';
import '#test/support/properties.ts';

const eventOf = (method: string, headers: ApiEvent['headers']): ApiEvent => ({
  rawPath: '/',
  rawQueryString: '',
  headers,
  isBase64Encoded: false,
  requestContext: { requestId: 'r', http: { method, path: '/' } },
});

const textOf = ({ body, isBase64Encoded }: ApiResult): string =>
  isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body;

const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE');
const accepted = fc.constantFrom(undefined, '', 'gzip', 'br', 'gzip;q=0', '*', 'deflate, gzip');
const text = fc.string({ unit: 'binary', maxLength: 3000, size: 'max' });

it('preserves any response in each encoding', async () => {
  const property = fc.asyncProperty(method, accepted, text, fc.constantFrom(200, 201, 404), async (...drawn) => {
    const [method, accepted, body, statusCode] = drawn;
    const result: ApiResult = { statusCode, headers: { 'x-own': '1' }, body };
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const response = await compressResponses(async () => result)(eventOf(method, headers));
    expect(textOf(response)).toBe(body);
    expect(response).toMatchObject({ statusCode, headers: { 'x-own': '1' } });
    const isLongRead = body.length > 1024 && ['GET', 'HEAD'].includes(method);
    const isCompressed = isLongRead && ['gzip', '*', 'deflate, gzip'].includes(accepted ?? '');
    expect(response.isBase64Encoded === true).toBe(isCompressed);
    expect(response.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
    expect(response.headers.etag !== undefined).toBe(isLongRead && statusCode === 200);
    if (!isLongRead) expect(response).toBe(result);
  });
  await fc.assert(property, { numRuns: 200 });
});

it('returns 304 without body and content headers for a known tag', async () => {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const handle = compressResponses(async () => ({ statusCode: 200, headers, body: 'x'.repeat(2000) }));
  const { etag = '' } = (await handle(eventOf('GET', {}))).headers;
  expect(await handle(eventOf('GET', { 'if-none-match': etag, 'accept-encoding': 'gzip' }))).toEqual({
    statusCode: 304,
    headers: { 'cache-control': 'no-store', vary: 'accept-encoding', etag },
    body: '',
  });
});

it('gives equal tags only to equal texts', async () => {
  const tagOf = async (body: string) => {
    const handle = compressResponses(async () => ({ statusCode: 200, headers: {}, body: body.padEnd(2000) }));
    return (await handle(eventOf('GET', {}))).headers.etag;
  };
  const property = fc.asyncProperty(fc.string(), fc.string(), async (one, other) => {
    expect((await tagOf(one)) === (await tagOf(other))).toBe(one.padEnd(2000) === other.padEnd(2000));
  });
  await fc.assert(property);
});
