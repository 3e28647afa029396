import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { clientWith } from '#test/support/team.ts';

const KEYS = '/v1/auth/keys';
const DAY = 86_400_000;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

let admin: Client & { id: string };
let check: { id: string; entity_id: string };
beforeAll(async () => {
  admin = await newTenant();
  check = await newCheck(admin);
});

const make = (body: object, by: Client = admin) => by.post(KEYS, { label: 'Job', ...body });
const listed = async (id: string) => (await admin.get(KEYS)).body.find((one: { id: string }) => one.id === id);

describe('PUT /v1/auth/keys/{id}', () => {
  it('changes the label and makes the key expire earlier', async () => {
    const key = await keyOf(admin, { expires_at: ahead(10 * DAY) });
    const [label, expires_at] = ['Renamed', ahead(DAY)];
    const changed = await admin.put(`${KEYS}/${key.id}`, { label, expires_at });
    expect(changed).toMatchObject({ status: 200, body: { id: key.id, label, expires_at, status: 'active' } });
    expect(await listed(key.id)).toEqual(changed.body);
    expect((await key.get('/v1/me')).body.key).toMatchObject({ label, expires_at });
  });

  it('accepts the record as read, and a time without a zone as UTC', async () => {
    const key = await keyOf(admin, { expires_at: ahead(10 * DAY) });
    const record = await listed(key.id);
    expect(await admin.put(`${KEYS}/${key.id}`, record)).toMatchObject({ status: 200, body: record });
    const local = ahead(DAY).replace('Z', '');
    expect((await admin.put(`${KEYS}/${key.id}`, { expires_at: local })).body.expires_at).toBe(`${local}Z`);
  });

  it.each<[string, object, string]>([
    ['a later expiry', { expires_at: ahead(11 * DAY) }, 'expires_at'],
    ['an expiry in the past', { expires_at: ahead(-DAY) }, 'expires_at'],
    ['an empty label', { label: '' }, 'label'],
    ['an unknown property', { scope: ['write'] }, 'scope'],
  ])('rejects %s', async (_name, patch, path) => {
    const key = await keyOf(admin, { expires_at: ahead(10 * DAY), scopes: ['read'] });
    const before = await listed(key.id);
    expect(await admin.put(`${KEYS}/${key.id}`, patch)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(await listed(key.id)).toEqual(before);
  });

  it('is allowed to users for their own keys, and to admins for all keys', async () => {
    const [ben, eve] = [await memberOf(admin), await memberOf(admin)];
    const key = await keyOf(ben);
    expect((await ben.put(`${KEYS}/${key.id}`, { label: 'Mine' })).body.label).toBe('Mine');
    expect(await eve.put(`${KEYS}/${key.id}`, { label: 'Mine' })).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await admin.put(`${KEYS}/${key.id}`, { expires_at: ahead(DAY) })).status).toBe(200);
    expect(await (await newTenant()).put(`${KEYS}/${key.id}`, {})).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('POST /v1/auth/keys/{id}/rotate', () => {
  it('creates a key like the old one, which stays valid during the overlap', async () => {
    const body = { label: 'Backup', scopes: ['push'], check_ids: [check.id], entity_ids: [check.entity_id] };
    const old = await keyOf(admin, body);
    const rotated = await admin.post(`${KEYS}/${old.id}/rotate`, { overlap_seconds: 3600 });
    expect(rotated).toMatchObject({
      status: 201,
      body: {
        ...body,
        key: expect.stringMatching(/^fw_[0-9A-Za-z]{43}$/),
        status: 'active',
        expires_at: null,
        rotated_from: old.id,
        rotated_to: null,
        last_used_at: null,
      },
    });
    expect(await listed(old.id)).toMatchObject({ rotated_to: rotated.body.id, expires_at: TIME, status: 'active' });
    const { expires_at } = await listed(old.id);
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const beat = async (key: string) => (await (await clientWith(key)).post(`/v1/checks/${check.id}/heartbeat`)).status;
    expect([await beat(old.key), await beat(rotated.body.key)]).toEqual([201, 201]);
  });

  it('expires the old key immediately if the overlap is 0; the error for the old key names the time', async () => {
    const old = await keyOf(admin);
    const { body } = await admin.post(`${KEYS}/${old.id}/rotate`, { overlap_seconds: 0 });
    const response = await old.get('/v1/me');
    expect(response).toMatchObject(failure(401, 'UNAUTHORIZED'));
    const { expires_at, status } = await listed(old.id);
    expect(status).toBe('expired');
    expect(response.body.error).toBe(
      `This API key expired on ${expires_at}. Create another one, and rotate it before it expires.`,
    );
    expect((await (await clientWith(body.key)).get('/v1/me')).body.key.id).toBe(body.id);
  });

  it('has an overlap of a day by default and needs no body', async () => {
    const old = await keyOf(admin);
    expect((await admin.post(`${KEYS}/${old.id}/rotate`)).status).toBe(201);
    const left = Date.parse((await listed(old.id)).expires_at) - Date.now();
    expect(Math.abs(left - DAY)).toBeLessThan(60_000);
  });

  it('gives the new key the lifetime of the old one, or the requested one', async () => {
    const made = await make({ expires_at: ahead(30 * DAY) });
    const next = (await admin.post(`${KEYS}/${made.body.id}/rotate`, {})).body;
    const life = (key: { created_at: string; expires_at: string }) =>
      Date.parse(key.expires_at) - Date.parse(key.created_at);
    // Approximately: each call has its own time.
    expect(Math.abs(life(next) - life(made.body))).toBeLessThan(1000);
    const expires_at = ahead(90 * DAY);
    expect((await admin.post(`${KEYS}/${next.id}/rotate`, { expires_at })).body.expires_at).toBe(expires_at);
  });

  it('succeeds for one of 20 concurrent calls; the errors of the others name the new key', async () => {
    const old = await keyOf(admin);
    const responses = await Promise.all(Array.from({ length: 20 }, () => admin.post(`${KEYS}/${old.id}/rotate`, {})));
    const won = responses.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(response).toMatchObject(failure(409, 'CONFLICT'));
      expect(response.body.error).toContain(won[0]!.body.id);
    }
    const all = (await admin.get(KEYS)).body.filter((one: { rotated_from: string }) => one.rotated_from === old.id);
    expect(all).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['an overlap of -1', { overlap_seconds: -1 }, 'overlap_seconds'],
    ['an overlap of more than 7 days', { overlap_seconds: 604_801 }, 'overlap_seconds'],
    ['an overlap as text', { overlap_seconds: '1d' }, 'overlap_seconds'],
    ['half a second of overlap', { overlap_seconds: 0.5 }, 'overlap_seconds'],
    ['an expiry in the past', { expires_at: ahead(-DAY) }, 'expires_at'],
    ['an expiry in more than ten years', { expires_at: ahead(3651 * DAY) }, 'expires_at'],
    ['other scopes', { scopes: ['write'] }, 'scopes'],
  ])('rejects %s and keeps the old key', async (_name, body, path) => {
    const old = await keyOf(admin);
    expect(await admin.post(`${KEYS}/${old.id}/rotate`, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(await listed(old.id)).toMatchObject({ rotated_to: null, expires_at: null });
  });

  it('rejects an expired key', async () => {
    const old = await keyOf(admin);
    const { body: next } = await admin.post(`${KEYS}/${old.id}/rotate`, { overlap_seconds: 0 });
    expect(await admin.post(`${KEYS}/${old.id}/rotate`, {})).toMatchObject(failure(409, 'CONFLICT'));
    expect((await admin.post(`${KEYS}/${next.id}/rotate`, {})).status).toBe(201);
  });

  it('lets users, even admins, rotate only their own keys', async () => {
    const [ben, eve] = [await memberOf(admin), await memberOf(admin)];
    const key = await keyOf(ben);
    expect(await eve.post(`${KEYS}/${key.id}/rotate`, {})).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.post(`${KEYS}/${key.id}/rotate`, {})).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await (await newTenant()).post(`${KEYS}/${key.id}/rotate`, {})).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await ben.post(`${KEYS}/${key.id}/rotate`, {})).status).toBe(201);
  });
});

describe('a key that expires', () => {
  it('cannot create or rotate a key that lasts longer', async () => {
    const expires_at = ahead(DAY);
    const maker = await keyOf(admin, { expires_at });
    expect((await make({}, maker)).body.expires_at).toBe(expires_at);
    expect((await make({ expires_at: ahead(3_600_000) }, maker)).status).toBe(201);
    expect(await make({ expires_at: ahead(2 * DAY) }, maker)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'expires_at'),
    );
    const lasting = await keyOf(admin);
    for (const id of [lasting.id, maker.id]) {
      expect(await maker.post(`${KEYS}/${id}/rotate`, { expires_at: ahead(2 * DAY) })).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'expires_at'),
      );
      expect(await maker.post(`${KEYS}/${id}/rotate`, {})).toMatchObject({ status: 201, body: { expires_at } });
    }
  });

  it('cannot extend itself', async () => {
    const key = await keyOf(admin, { expires_at: ahead(DAY) });
    expect(await key.put(`${KEYS}/${key.id}`, { expires_at: ahead(2 * DAY) })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'expires_at'),
    );
  });

  it('creates nothing that gives access for longer: no user, sign-in link or passkey', async () => {
    const key = await keyOf(admin, { expires_at: ahead(DAY) });
    const { id } = (await admin.get('/v1/me')).body.user;
    const tries = [
      ['/v1/settings/users/invite', { email: 'eve@example.com', role: 'admin' }, 'an invited user'],
      [`/v1/settings/users/${id}/sign-in-link`, {}, 'access by a sign-in link'],
      ['/v1/sign-in/passkeys/options', undefined, 'a passkey'],
    ] as const;
    for (const [path, body, what] of tries) {
      const refused = await key.post(path, body);
      expect(refused).toMatchObject(failure(403, 'FORBIDDEN'));
      expect(refused.body.error).toMatch(new RegExp(`^This key expires on .*, and ${what} would outlive it\\.`));
    }
    const users = (await admin.get('/v1/settings/users')).body;
    expect(users.map(({ email }: { email: string }) => email)).not.toContain('eve@example.com');
  });
});
