import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf, failure, keyOf, newTenant } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';

let admin: Client;
let reader: Client;
let anonymous: Client;
beforeAll(async () => {
  admin = await newTenant();
  reader = await keyOf(admin, { is_read_only: true });
  anonymous = clientOf((await target()).url, '');
  await admin.post('/v1/blueprints', { slug: 'service', name: 'Service' });
});

/** routes.test.ts covers the authentication of existing routes. */
describe('a request', () => {
  it.each([
    ['without a key to an unknown route', 'anonymous', 'GET', '/v1/nothing', 401, 'UNAUTHORIZED'],
    ['without a key, by an unknown method', 'anonymous', 'PATCH', '/v1/blueprints', 401, 'UNAUTHORIZED'],
    ['with a read-only key to an unknown route', 'reader', 'POST', '/v1/nothing', 404, 'NOT_FOUND'],
    ['without a key outside /v1', 'anonymous', 'GET', '/elsewhere', 401, 'UNAUTHORIZED'],
    ['outside /v1', 'admin', 'GET', '/elsewhere', 404, 'NOT_FOUND'],
    [
      'to a well-known address, without a key',
      'anonymous',
      'GET',
      '/.well-known/openid-configuration',
      404,
      'NOT_FOUND',
    ],
    ['with a trailing slash', 'admin', 'GET', '/v1/blueprints/', 404, 'NOT_FOUND'],
  ])('is rejected %s', async (_name, who, method, path, status, code) => {
    const client = { admin, reader, anonymous }[who]!;
    expect(await client.send(method, path)).toMatchObject(failure(status, code));
  });

  it.each([
    ['a success', () => admin.get('/v1/me')],
    ['a refusal', () => anonymous.get('/v1/me')],
    ['a deletion', async () => admin.del(`/v1/auth/keys/${(await keyOf(admin)).id}`)],
  ])('has a unique request id if it ends in %s', async (_name, send) => {
    const [one, two] = [await send(), await send()];
    expect(one.headers.get('x-request-id')).toMatch(/\S{8,}/);
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'));
  });
});

describe('a body', () => {
  const post = (body: unknown, headers?: Record<string, string>) =>
    admin.send('POST', '/v1/blueprints', { body, ...(headers && { headers }) });

  it.each([
    ['garbled', '{"slug": "a", '],
    ['a form', 'slug=a&name=b'],
    ['an array', '[]'],
    ['a text', '"a"'],
    ['null', 'null'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a character', '{"slug": "a", "name": "\\ud800"}'],
  ])('is rejected with VALIDATION_ERROR if it is %s', async (_name, body) => {
    expect(await post(body)).toMatchObject(failure(400, 'VALIDATION_ERROR', ''));
  });

  it('is rejected with a list of all required properties if it is missing', async () => {
    const response = await post(undefined);
    expect(response).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', error: expect.any(String) } });
    expect(response.body.details).toEqual([
      { path: 'slug', message: 'is required' },
      { path: 'name', message: 'is required' },
    ]);
  });

  it('is rejected with the possible values of a missing enum', async () => {
    const response = await admin.send('POST', '/v1/settings/users/invite', { body: { email: 'a@example.com' } });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'role'));
    expect(response.body.error).toBe('role: is required: one of viewer, responder, member, admin');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'is read as JSON even if its type is %s',
    async (type) => {
      const slug = type.replace(/\W/g, '-');
      expect((await post(JSON.stringify({ slug, name: 'x' }), { 'content-type': type })).status).toBe(201);
    },
  );

  it('is rejected with a suggestion for an unknown property', async () => {
    const response = await admin.post('/v1/auth/keys', { label: 'x', read_only: true });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'read_only'));
    expect(response.body.error).toBe('`read_only` is not known; did you mean `is_read_only`?');
  });

  it('is rejected with each unknown property, at every level, even if it is null', async () => {
    const fields = [{ name: 'a', field_type: 'string', requird: true }];
    const response = await post({ slug: 'unknown', name: 'x', fields, shade: null });
    expect(response.body.details).toEqual([
      { path: 'fields.0.requird', message: '`fields.0.requird` is not known; did you mean `required`?' },
      { path: 'shade', message: '`shade` is not known' },
    ]);
  });

  it('is rejected with the expected type and without the given value', async () => {
    const response = await post({ slug: 'plain', name: 7, description: true, is_default: 'secret' });
    expect(response.body.details).toEqual([
      { path: 'name', message: 'must be text' },
      { path: 'description', message: 'must be text' },
      { path: 'is_default', message: 'must be true or false' },
    ]);
  });

  it('is limited to 256 KB', async () => {
    const filled = (bytes: number) => {
      const text = JSON.stringify({ slug: 'large', name: 'x' });
      return text.padEnd(bytes);
    };
    expect(await post(filled(256 * 1024 + 1))).toMatchObject(failure(413, 'PAYLOAD_TOO_LARGE'));
    expect((await post(filled(256 * 1024))).status).toBe(201);
  });
});

describe('a list', () => {
  it.each(['0', '-1', 'abc', '1.5', '', '%20'])('rejects the limit "%s"', async (limit) => {
    expect(await admin.get(`/v1/blueprints?limit=${limit}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'limit'));
  });
  it.each(['1000', '1001', '99999999999999999999'])('accepts the limit %s', async (limit) => {
    expect((await admin.get(`/v1/blueprints?limit=${limit}`)).status).toBe(200);
  });
  it.each([
    ['garbled', 'xyz'],
    ['empty', ''],
    ['JSON but not a cursor', Buffer.from('{}').toString('base64url')],
    ['made up', Buffer.from('["AAAAAAAA","service"]').toString('base64url')],
  ])('rejects a cursor that is %s', async (_name, cursor) => {
    expect(await admin.get(`/v1/blueprints?cursor=${cursor}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'cursor'),
    );
  });
  it('rejects a cursor of another list or another account', async () => {
    const other = await newTenant();
    for (const slug of ['a', 'b']) await other.post('/v1/blueprints', { slug, name: slug });
    const link = (await other.get('/v1/blueprints?limit=1')).headers.get('link')!;
    const cursor = /cursor=([^>&]+)/.exec(link)![1];
    expect((await other.get(`/v1/blueprints?limit=1&cursor=${cursor}`)).status).toBe(200);
    expect(await admin.get(`/v1/blueprints?cursor=${cursor}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'cursor'),
    );
    expect(await other.get(`/v1/blueprints/a/entities?cursor=${cursor}`)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'cursor'),
    );
  });
  it('rejects unknown query parameters', async () => {
    const response = await admin.get('/v1/blueprints?shade=red&limt=5');
    expect(response.status).toBe(400);
    expect(response.body.details).toEqual([
      { path: 'shade', message: '`shade` is not known' },
      { path: 'limt', message: '`limt` is not known; did you mean `limit`?' },
    ]);
  });
});
