import { describe, expect, it } from 'vitest';
import { log, send } from './small-api.ts';

describe('the router', () => {
  it('returns the record with the request id', async () => {
    const answer = await send('GET', '/v1/things/a.b-c_1', { query: 'word=x' });
    expect(answer).toMatchObject({ status: 200, body: { id: 'a.b-c_1', word: 'x' } });
    expect(answer.headers).toMatchObject({
      'x-request-id': 'req-1',
      'content-type': 'application/json; charset=utf-8',
    });
  });
  it('returns 204 without body and type', async () => {
    const answer = await send('DELETE', '/v1/things/a');
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers).not.toHaveProperty('content-type');
  });
  it('adds the headers of a Reply', async () => {
    expect(await send('GET', '/v1/paged')).toMatchObject({ body: [1], headers: { link: '<x>' } });
  });
  it('uses the first value of a repeated query parameter', async () => {
    expect((await send('GET', '/v1/things/a', { query: 'word=1&word=2' })).body.word).toBe('1');
  });
  it('hides internal errors from the client and logs them', async () => {
    const answer = await send('GET', '/v1/broken');
    expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL', request_id: 'req-1' } });
    expect(answer.text).not.toContain('hunter2');
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', fields: { path: '/v1/broken', request_id: 'req-1' } });
  });
  it('serves an open endpoint without a key', async () => {
    expect(await send('GET', '/v1/open', { as: '' })).toMatchObject({ status: 200 });
  });
  it('returns a JSON 404 for /.well-known/ without a key', async () => {
    expect(await send('GET', '/.well-known/oauth-protected-resource', { as: '' })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });
});

describe('request validation', () => {
  const bad = '{"name": 7}';
  it.each([
    ['an unknown route without a key', 'GET', '/v1/nothing', { as: '' }, 401, 'UNAUTHORIZED'],
    ['an unknown route with a key', 'GET', '/v1/nothing', {}, 404, 'NOT_FOUND'],
    ['the method before read-only access', 'POST', '/v1/things/a', { as: 'reader' }, 405, 'METHOD_NOT_ALLOWED'],
    ['read-only access before the role', 'POST', '/v1/things/a/names/n', { as: 'reader' }, 403, 'READ_ONLY'],
    ['read-only access before existence', 'PUT', '/v1/things/gone', { as: 'reader', body: bad }, 403, 'READ_ONLY'],
    ['the role before existence', 'POST', '/v1/things/ü/names/n', { as: 'member' }, 403, 'FORBIDDEN'],
    ['existence before the body', 'PUT', '/v1/things/gone', { body: bad }, 404, 'NOT_FOUND'],
    ['state before the body', 'PUT', '/v1/things/busy', { body: bad }, 409, 'CONFLICT'],
    ['the body last', 'PUT', '/v1/things/a', { body: bad }, 400, 'VALIDATION_ERROR'],
  ])('checks %s', async (_name, method, path, sent, status, code) => {
    expect(await send(method, path, sent)).toMatchObject({ status, body: { code } });
  });
  it('names the allowed methods in a 405', async () => {
    expect((await send('PATCH', '/v1/things/a')).headers.allow).toBe('DELETE, GET, HEAD, PUT');
  });
});

describe('path matching', () => {
  it.each([
    ['its id is percent-encoded', '/v1/things/%61', 'a'],
    ['its id has an unnecessary escape', '/v1/things/a%2Eb', 'a.b'],
  ])('finds a resource if %s', async (_name, path, id) => {
    expect((await send('GET', path)).body).toEqual({ id });
  });
  it.each([
    ['broken percent-encoding', '/v1/things/%zz'],
    ['half a UTF-8 character', '/v1/things/%C3'],
    ['a slash in a segment', '/v1/things/a%2Fb'],
    ['the table separator', '/v1/things/a%23b'],
    ['a letter that is not ASCII', '/v1/things/%C3%BC'],
    ['a null byte', '/v1/things/a%00'],
    ['an id that is too long', `/v1/things/${'a'.repeat(65)}`],
    ['a dot segment', '/v1/things/..'],
    ['an empty id', '/v1/things/'],
    ['a trailing slash', '/v1/things/a/'],
    ['another case', '/V1/things/a'],
  ])('finds nothing for %s', async (_name, path) => {
    expect(await send('GET', path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
  it('accepts any name for a name parameter', async () => {
    const name = 'Größe / 100 % 🙂';
    const answer = await send('POST', `/v1/things/a/names/${encodeURIComponent(name)}`);
    expect(answer).toMatchObject({ status: 201, body: { id: 'a', name } });
    expect((await send('POST', '/v1/things/a/names/%0A')).status).toBe(404);
  });

  /** Path as passed by API Gateway: each escape is decoded except that of %. */
  const asGateway = (path: string): string => path.replace(/(?:%(?!25)[0-9A-F]{2})+/g, decodeURIComponent);

  it.each([
    ['100 %', '/v1/things/a/names/100 %25'],
    ['größe/länge', '/v1/things/a/names/größe/länge'],
    ['//', '/v1/things/a/names///'],
    ['100%25', '/v1/things/a/names/100%2525'],
    ['%2F/%zz', '/v1/things/a/names/%252F/%25zz'],
    ['a/invite', '/v1/things/a/names/a/invite'],
    ['#1', '/v1/things/a/names/#1'],
    ['a+b', '/v1/things/a/names/a+b'],
  ])('treats %j alike when sent directly and when decoded by API Gateway', async (name, decoded) => {
    const sent = `/v1/things/a/names/${encodeURIComponent(name)}`;
    expect(asGateway(sent)).toBe(decoded);
    for (const path of [sent, decoded])
      expect(await send('POST', path)).toMatchObject({ status: 201, body: { id: 'a', name } });
  });
  it.each([
    ['100 %', '/v1/things/a/names/100 %'],
    ['%zz', '/v1/things/a/names/%zz'],
    ['%C3 ü', '/v1/things/a/names/%C3 %C3%BC'],
  ])('keeps an invalid escape verbatim: %j', async (name, path) => {
    expect((await send('POST', path)).body).toEqual({ id: 'a', name });
  });
  it('accepts slashes only in a name at the end of the path, and no empty name', async () => {
    expect((await send('POST', '/v1/things/a/b/names/x')).status).toBe(404);
    expect((await send('POST', '/v1/things/a/names/')).status).toBe(404);
    expect((await send('PUT', '/v1/things/a/names/x/y')).status).toBe(405);
  });
});

describe('request body', () => {
  const put = (body: string, base64 = false) => send('PUT', '/v1/things/a', { body, base64 });
  const encode = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');

  it('is accepted in base64', async () => {
    expect((await put(encode('{"name":"ü"}'), true)).body.name).toBe('ü');
  });
  it('is accepted with a byte order mark', async () => {
    expect((await put('\ufeff{"name":"a"}')).status).toBe(200);
  });
  it('is accepted with null for absent properties', async () => {
    expect((await put('{"name":"a","note":null}')).body).toEqual({ name: 'a', loaded: 'a' });
  });
  it('is limited in bytes before it is parsed', async () => {
    const filled = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`;
    expect((await put(filled(100))).status).toBe(200);
    expect(await put(filled(101))).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
    expect((await put(`{"name":"${'ü'.repeat(45)}"`)).status).toBe(400);
    expect((await put(`{"name":"${'ü'.repeat(46)}"`)).status).toBe(413);
    expect((await put(encode(filled(101)), true)).status).toBe(413);
  });
  it.each([
    ['not JSON', 'name=a'],
    ['cut off', '{"name":"a"'],
    ['an array', '[{"name":"a"}]'],
    ['null', 'null'],
    ['a text', '"a"'],
    ['a number', '7'],
    ['half a character', '{"name":"\\ud83d"}'],
    ['half a character, deep inside', '{"name":"a","note":{"x":["\\udc00"]}}'],
  ])('is rejected if it is %s', async (_name, body) => {
    const answer = await put(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.details).toHaveLength(1);
  });
  it('is rejected if it is not UTF-8', async () => {
    expect(await put(encode(Buffer.from([0x7b, 0xff, 0x7d])), true)).toMatchObject({ status: 400 });
  });
  it('is accepted with complete escaped characters and escaped backslashes', async () => {
    expect((await put('{"name":"\\ud83d\\ude42 \\\\ud83d"}')).body.name).toBe('🙂 \\ud83d');
  });
  it('counts as an empty object if missing, so that required properties are reported', async () => {
    expect((await put('')).body).toEqual({
      error: 'name: is required',
      code: 'VALIDATION_ERROR',
      details: [{ path: 'name', message: 'is required' }],
    });
  });
  it('is rejected or ignored if nested over 100,000 levels deep, without an internal error', async () => {
    for (const body of [`{"a":${'['.repeat(120_000)}${']'.repeat(120_000)}}`, '['.repeat(200_000)]) {
      const { status } = await send('POST', '/v1/anything', { body });
      expect([200, 400]).toContain(status);
    }
  });
});
