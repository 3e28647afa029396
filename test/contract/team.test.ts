import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { ACCEPT, accept, address, clientWith, INVITE, invite, members, TEAM } from '#test/support/team.ts';

let admin: Client & { id: string };
beforeAll(async () => {
  admin = await newTenant();
});

describe('GET /v1/settings/users', () => {
  it('shows the admin that was created with the account', async () => {
    const tenant = await newTenant();
    const account = (await tenant.get('/v1/me')).body;
    expect(await tenant.get(TEAM)).toMatchObject({
      status: 200,
      body: [
        {
          id: expect.stringMatching(/^usr_/),
          email: account.email,
          name: account.name,
          role: 'admin',
          status: 'active',
          created_at: TIME,
        },
      ],
    });
  });

  it('returns members and invitations, oldest first, in pages, without secrets', async () => {
    const tenant = await newTenant();
    await memberOf(tenant);
    const { invite_token } = (await invite(tenant)).body;
    const all = await members(tenant);
    expect(all.map(({ role, status }) => `${role} ${status}`).toSorted()).toEqual([
      'admin active',
      'member active',
      'member pending',
    ]);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted());
    expect(JSON.stringify(all)).not.toContain(invite_token);
    for (const one of all) {
      expect(Object.keys(one).toSorted()).toEqual([
        'created_at',
        'email',
        'id',
        'identities',
        'monthly_report',
        'name',
        'passkeys',
        'role',
        'status',
      ]);
    }
    const first = await tenant.get(`${TEAM}?limit=2`);
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')![1]!;
    expect([...first.body, ...(await tenant.get(next)).body]).toEqual(all);
  });

  it('is allowed for members and read-only keys', async () => {
    const all = await members(admin);
    for (const client of [await memberOf(admin), await keyOf(admin, { is_read_only: true })]) {
      expect((await client.get(TEAM)).body).toEqual(expect.arrayContaining(all));
    }
  });

  it.each(['limit=0', 'cursor=garbled'])('rejects %s', async (query) => {
    expect(await admin.get(`${TEAM}?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', query.split('=')[0]));
  });
});

describe('DELETE /v1/settings/users/{id}', () => {
  it('removes a member and all their keys immediately', async () => {
    const ben = await memberOf(admin);
    const more = await Promise.all([keyOf(ben), keyOf(ben, { is_read_only: true })]);
    const adminKey = (await keyOf(admin)).key;
    expect(await admin.del(`${TEAM}/${ben.id}`)).toMatchObject({ status: 204, body: undefined });
    for (const client of [ben, ...more]) expect(await client.get('/v1/me')).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect((await members(admin)).map(({ id }) => id)).not.toContain(ben.id);
    const keys = (await admin.get('/v1/auth/keys')).body.map((one: { created_by: string }) => one.created_by);
    expect(keys).not.toContain(ben.id);
    expect((await (await clientWith(adminKey)).get('/v1/me')).status).toBe(200);
    expect(await admin.del(`${TEAM}/${ben.id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('invalidates keys that are created concurrently', async () => {
    const ben = await memberOf(admin);
    const [removed, ...made] = await Promise.all([
      admin.del(`${TEAM}/${ben.id}`),
      ...Array.from({ length: 20 }, () => ben.post('/v1/auth/keys', { label: 'Late' })),
    ]);
    expect(removed!.status).toBe(204);
    for (const { status, body } of made) {
      expect([201, 401]).toContain(status);
      if (status === 201) expect((await (await clientWith(body.key)).get('/v1/me')).status).toBe(401);
    }
  });

  it('withdraws an invitation; its e-mail address can be invited again', async () => {
    const { id, email, invite_token } = (await invite(admin)).body;
    expect((await admin.del(`${TEAM}/${id}`)).status).toBe(204);
    expect(await accept(invite_token)).toMatchObject(failure(404, 'NOT_FOUND'));
    const again = await invite(admin, email);
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(id);
  });

  it('leaves no member and no valid key after a concurrent acceptance of an invitation', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, invite_token } = (await invite(admin)).body;
      const [removed, accepted] = await Promise.all([admin.del(`${TEAM}/${id}`), accept(invite_token)]);
      expect(removed.status).toBe(204);
      expect([201, 404]).toContain(accepted.status);
      if (accepted.status === 201) expect((await (await clientWith(accepted.body.key)).get('/v1/me')).status).toBe(401);
      expect((await members(admin)).map((one) => one.id)).not.toContain(id);
    }
  });

  it('keeps the last admin; an invitation does not count', async () => {
    const tenant = await newTenant();
    const [own] = await members(tenant);
    await memberOf(tenant);
    expect((await invite(tenant, address(), 'admin')).status).toBe(201);
    expect(await tenant.del(`${TEAM}/${own!.id}`)).toMatchObject(failure(409, 'CONFLICT'));
    expect((await tenant.get('/v1/me')).status).toBe(200);
    const second = await memberOf(tenant, 'admin');
    expect((await tenant.del(`${TEAM}/${own!.id}`)).status).toBe(204);
    expect((await tenant.get('/v1/me')).status).toBe(401);
    expect(await second.del(`${TEAM}/${second.id}`)).toMatchObject(failure(409, 'CONFLICT'));
  });

  it('keeps one of two admins who remove each other at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const tenant = await newTenant();
      const [own] = await members(tenant);
      const second = await memberOf(tenant, 'admin');
      const responses = await Promise.all([tenant.del(`${TEAM}/${second.id}`), second.del(`${TEAM}/${own!.id}`)]);
      const [won, lost] = responses.toSorted((a, b) => a.status - b.status);
      expect(won!.status).toBe(204);
      // The request that lost has an invalid key, or would remove the last admin.
      expect(['UNAUTHORIZED', 'CONFLICT']).toContain(lost!.body.code);
      const left = responses[0]!.status === 204 ? tenant : second;
      expect((await members(left)).map(({ role }) => role)).toEqual(['admin']);
    }
  });

  it('is rejected for members, even for themselves, and for read-only keys', async () => {
    const ben = await memberOf(admin);
    expect(await ben.del(`${TEAM}/${ben.id}`)).toMatchObject(failure(403, 'FORBIDDEN'));
    const reader = await keyOf(admin, { is_read_only: true });
    expect(await reader.del(`${TEAM}/${ben.id}`)).toMatchObject(failure(403, 'READ_ONLY'));
    expect((await ben.get('/v1/me')).status).toBe(200);
  });

  it('returns 404 for users of another account and unknown users', async () => {
    const other = await newTenant();
    const [theirUser] = await members(other);
    await memberOf(other, 'admin');
    const none = 'usr_00000000000000000000000000';
    const [foreign, unknown] = [await admin.del(`${TEAM}/${theirUser!.id}`), await admin.del(`${TEAM}/${none}`)];
    expect(foreign).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(foreign.body.error.replace(theirUser!.id, '')).toBe(unknown.body.error.replace(none, ''));
    expect((await other.get('/v1/me')).status).toBe(200);
    expect((await members(admin)).map(({ id }) => id)).not.toContain(theirUser!.id);
  });

  it.each(['none', 'a%23b', '%2e%2e', 'x'.repeat(300)])('returns 404 for %.30s', async (id) => {
    expect(await admin.del(`${TEAM}/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('the team', () => {
  it.each([
    ['POST', TEAM, 'GET, HEAD'],
    ['PUT', INVITE, 'POST'],
    ['GET', ACCEPT, 'POST'],
  ])('returns 405 for %s %s', async (method, path, allow) => {
    const response = await admin.send(method, path);
    expect(response).toMatchObject(failure(405, 'METHOD_NOT_ALLOWED'));
    expect(response.headers.get('allow')).toBe(allow);
  });
});
