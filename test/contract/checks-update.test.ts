import { beforeAll, describe, expect, it } from 'vitest';
import { checkTypeOf, checkTypes } from '#lib/checks/types/registry.ts';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

describe('PUT /v1/checks/{id}', () => {
  it('changes only the given properties', async () => {
    const check = await newCheck(client, {
      check_type: 'http',
      target_url: 'http://127.77.0.1:9/',
      enabled: false,
      config: { body: 'x' },
    });
    const changed = got(await client.put(`/v1/checks/${check.id}`, { name: 'Shop', timeout_ms: 900 }), 200);
    expect(changed).toEqual({ ...check, name: 'Shop', timeout_ms: 900, updated_at: changed.updated_at });
    expect(changed.updated_at > check.updated_at).toBe(true);
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject(changed);
  });

  it('merges config by key and removes null keys', async () => {
    const { id } = await newCheck(client, {
      check_type: 'http',
      target_url: 'http://127.77.0.1:9/',
      enabled: false,
      config: { body: 'x', verify_tls: false },
    });
    const put = async (config: object) => got(await client.put(`/v1/checks/${id}`, { config }), 200).config;
    expect(await put({ headers: { a: 'b' } })).toEqual({ body: 'x', verify_tls: false, headers: { a: 'b' } });
    expect(await put({ body: null })).toEqual({ verify_tls: false, headers: { a: 'b' } });
    expect(await put({})).toEqual({ verify_tls: false, headers: { a: 'b' } });
    expect(await put({ headers: null, verify_tls: true, body: null })).toEqual({ verify_tls: true });
  });

  it('resets a required key to its default for null, or rejects null if the key has no default', async () => {
    const { id } = await newCheck(client, {
      check_type: 'tls',
      enabled: false,
      config: { host: 'a.test', port: 8443 },
    });
    expect(got(await client.put(`/v1/checks/${id}`, { config: { port: null } }), 200).config.port).toBe(443);
    expect(await client.put(`/v1/checks/${id}`, { config: { host: null } })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'config.host'),
    );
  });

  it('rejects properties that no check has or that belong to another type', async () => {
    const { id } = await newCheck(client, { check_type: 'tcp', enabled: false, config: { host: 'a.test', port: 1 } });
    for (const wrong of [{ nam: 'x' }, { target_url: 'https://example.com' }, { config: { hots: 'b.test' } }]) {
      const [member] = Object.keys(wrong);
      const response = await client.put(`/v1/checks/${id}`, wrong);
      const path = member === 'config' ? 'config.hots' : member;
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    }
  });

  it('changes nothing when a record is sent back unchanged', async () => {
    for (const check_type of checkTypes.keys()) {
      const [example] = checkTypeOf(check_type).examples.valid;
      const { id } = await newCheck(client, { check_type, ...example, enabled: false });
      const read = got(await client.get(`/v1/checks/${id}`), 200);
      got(await client.put(`/v1/checks/${id}`, read), 200);
      expect(got(await client.get(`/v1/checks/${id}`), 200)).toEqual(read);
    }
  });

  it.each([
    ['entity_id', { entity_id: 'ent_other' }],
    ['check_type', { check_type: 'tcp' }],
    ['execution_mode', { execution_mode: 'pull' }],
    ['id', { id: 'chk_other' }],
  ])('rejects a change of %s', async (member, patch) => {
    const check = await newCheck(client);
    expect(await client.put(`/v1/checks/${check.id}`, { ...patch, name: 'new' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', member),
    );
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject(check);
  });

  it('removes the name for an empty text, and keeps it for null', async () => {
    const check = await newCheck(client, { name: 'Shop' });
    expect(got(await client.put(`/v1/checks/${check.id}`, { name: null }), 200)).toMatchObject({ name: 'Shop' });
    expect(await client.put(`/v1/checks/${check.id}`, { name: ' ' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'name'),
    );
    expect(got(await client.put(`/v1/checks/${check.id}`, { name: '' }), 200)).toMatchObject({ name: null });
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject({ name: null });
  });

  it('validates the merged result and keeps the old settings if it is invalid', async () => {
    const check = await newCheck(client, { check_type: 'http', target_url: 'http://127.77.0.1:9/', enabled: false });
    for (const [patch, path] of [
      [{ interval_seconds: 0 }, 'interval_seconds'],
      [{ target_url: 'http://me:pw@127.77.0.1/' }, 'target_url'],
      [{ config: { retries: 3 } }, 'config.retries'],
      [{ config: 'none' }, 'config'],
      [{ target_url: 'http://169.254.169.254/' }, 'target_url'],
    ] as const) {
      expect(await client.put(`/v1/checks/${check.id}`, patch)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    }
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject(check);
  });

  it('keeps all of three concurrent changes', async () => {
    const { id } = await newCheck(client);
    await Promise.all([
      client.put(`/v1/checks/${id}`, { name: 'changed' }),
      client.put(`/v1/checks/${id}`, { failure_threshold: 7 }),
      client.put(`/v1/checks/${id}`, { config: { grace_seconds: 9 } }),
    ]);
    expect(got(await client.get(`/v1/checks/${id}`), 200)).toMatchObject({
      name: 'changed',
      failure_threshold: 7,
      config: { grace_seconds: 9 },
    });
  });
});
