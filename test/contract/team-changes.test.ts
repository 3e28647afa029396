import { beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '#lib/platform/http/access.ts';
import { type ApiResponse, type Client, failure, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { newAction } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';
import { signedIn } from '#test/support/signed-in.ts';
import { address, INVITE, invite, members, TEAM } from '#test/support/team.ts';

let admin: Client & { id: string };
beforeAll(async () => {
  admin = await newTenant();
});

const ownId = async (client: Client): Promise<string> => (await client.get('/v1/me')).body.user.id;
const put = (by: Client, id: string, body: object) => by.put(`${TEAM}/${id}`, body);
const roleOf = async (client: Client): Promise<string> => (await client.get('/v1/me')).body.role;

describe('PUT /v1/settings/users/{id}', () => {
  it('changes role, name and e-mail address, effective immediately for existing keys', async () => {
    const ben = await memberOf(admin);
    const second = await keyOf(ben);
    const change = { role: 'viewer', name: 'Ben Miller', email: address() };
    const changed = await put(admin, ben.id, change);
    expect(changed).toMatchObject({ status: 200, body: { id: ben.id, ...change, status: 'active' } });
    expect(await members(admin)).toContainEqual(changed.body);
    for (const key of [ben, second]) {
      const { role, user } = (await key.get('/v1/me')).body;
      expect({ role, ...user }).toEqual({ ...change, id: ben.id, monthly_report: false });
      expect(await key.post('/v1/blueprints', { slug: 'x', name: 'x' })).toMatchObject(failure(403, 'FORBIDDEN'));
    }
    expect((await ben.post('/v1/blueprints', {})).body.error).toBe('This needs the member role; you are a viewer.');
  });

  it('makes a member an admin, with all permissions', async () => {
    const tenant = await newTenant();
    const ben = await memberOf(tenant);
    expect(await invite(ben)).toMatchObject(failure(403, 'FORBIDDEN'));
    await put(tenant, ben.id, { role: 'admin' });
    expect((await invite(ben)).status).toBe(201);
    expect((await put(ben, await ownId(tenant), { role: 'viewer' })).status).toBe(200);
    expect(await roleOf(tenant)).toBe('viewer');
  });

  it.each<Role>(['viewer', 'responder', 'member', 'admin'])('lets a %s change their own name', async (role) => {
    const one = await memberOf(admin, role);
    expect(await put(one, one.id, { name: 'My own' })).toMatchObject({ status: 200, body: { name: 'My own', role } });
    const { email } = (await one.get('/v1/me')).body.user;
    // A request with the current values is not a change.
    expect((await put(one, one.id, { name: 'My own', role, email })).status).toBe(200);
  });

  it('sets the monthly report only of the caller, even if the caller is an admin', async () => {
    const one = await memberOf(admin, 'viewer');
    for (const monthly_report of [true, false]) {
      expect(await put(one, one.id, { monthly_report })).toMatchObject({ status: 200, body: { monthly_report } });
      expect((await one.get('/v1/me')).body.user).toMatchObject({ monthly_report });
    }
    expect(await put(admin, one.id, { monthly_report: true })).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await put(one, one.id, { monthly_report: 'yes' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'monthly_report'),
    );
  });

  it.each<Role>(['viewer', 'responder', 'member'])('rejects all other changes by a %s', async (role) => {
    const [one, other] = [await memberOf(admin, role), await memberOf(admin, role)];
    for (const change of [{ role: 'admin' }, { email: address() }, { name: 'x', role: 'admin' }]) {
      expect(await put(one, one.id, change)).toMatchObject(failure(403, 'FORBIDDEN'));
    }
    for (const change of [{ name: 'x' }, { role }, {}, { role: 'viewer' }]) {
      expect(await put(one, other.id, change)).toMatchObject(failure(403, 'FORBIDDEN'));
    }
    expect(await roleOf(one)).toBe(role);
    expect(await one.post(INVITE, { email: address(), role: 'admin' })).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it('is rejected for restricted keys', async () => {
    const id = await ownId(admin);
    const narrow = await keyOf(admin, { scopes: ['read', 'write'] });
    expect(await put(narrow, id, { name: 'x' })).toMatchObject(failure(403, 'FORBIDDEN'));
    const reader = await keyOf(admin, { is_read_only: true });
    expect(await put(reader, id, { name: 'x' })).toMatchObject(failure(403, 'READ_ONLY'));
  });

  it('keeps the last admin; an invitation does not count', async () => {
    const tenant = await newTenant();
    const id = await ownId(tenant);
    await invite(tenant, address(), 'admin');
    for (const role of ['member', 'responder', 'viewer']) {
      expect(await put(tenant, id, { role })).toMatchObject(failure(409, 'CONFLICT'));
    }
    expect((await put(tenant, id, { role: 'admin', name: 'Still here' })).status).toBe(200);
    await memberOf(tenant, 'admin');
    expect((await put(tenant, id, { role: 'member' })).status).toBe(200);
  });

  it('rejects the e-mail address of another member or an invitation, in any letter case, but accepts the user’s own', async () => {
    const ben = await memberOf(admin);
    const { email: own } = (await ben.get('/v1/me')).body.user;
    const { email: pending } = (await invite(admin)).body;
    const { email: first } = (await admin.get('/v1/me')).body.user;
    for (const email of [pending, pending.toUpperCase(), first]) {
      expect(await put(admin, ben.id, { email })).toMatchObject(failure(409, 'CONFLICT'));
    }
    expect((await put(admin, ben.id, { email: own.toUpperCase() })).body.email).toBe(own.toUpperCase());
  });

  it('gives an address to one of two concurrent requests', async () => {
    const two = [await memberOf(admin), await memberOf(admin)];
    const email = address();
    const responses = await Promise.all(two.map(({ id }) => put(admin, id, { email })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await members(admin)).filter((one) => one.email === email)).toHaveLength(1);
  });

  it('changes only the role of an invitation', async () => {
    const { id } = (await invite(admin)).body;
    expect((await put(admin, id, { role: 'viewer' })).body).toMatchObject({ role: 'viewer', status: 'pending' });
    for (const change of [{ name: 'Ben' }, { email: address() }]) {
      expect(await put(admin, id, change)).toMatchObject(failure(409, 'CONFLICT'));
    }
  });

  it.each<[string, object, string]>([
    ['an unknown role', { role: 'owner' }, 'role'],
    ['a role in capitals', { role: 'Admin' }, 'role'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['an e-mail without @', { email: 'ben' }, 'email'],
    ['an unknown property', { password: 'x' }, 'password'],
  ])('rejects %s', async (_name, change, path) => {
    const ben = await memberOf(admin);
    expect(await put(admin, ben.id, change)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('returns 404 for users of another account and unknown users', async () => {
    const other = await newTenant();
    const foreign = await put(admin, await ownId(other), { role: 'viewer' });
    expect(foreign).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await put(admin, 'usr_none', { role: 'viewer' })).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await roleOf(other)).toBe('admin');
  });
});

describe('a hundred calls per second', () => {
  /** Calls repeatedly from ten callers until `end`; `seen` has the status of each call and when it was sent. */
  function storm(call: (n: number) => Promise<ApiResponse>) {
    const seen: { sent: number; status: number }[] = [];
    let isOver = false;
    const callers = Array.from({ length: 10 }, async (_, n) => {
      while (!isOver) {
        const sent = performance.now();
        const { status } = await call(n);
        seen.push({ sent, status });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    return {
      seen,
      end: async () => {
        isOver = true;
        await Promise.all(callers);
      },
    };
  }

  /** Starts five sessions of a user: two with the key, and three with sign-in links. */
  async function sessionsOf({ id, key }: { id: string; key: string }): Promise<Client[]> {
    const { url } = await target();
    const sessions = [await signedIn(url, '/v1/sign-in/key', { key }), await signedIn(url, '/v1/sign-in/key', { key })];
    for (let n = 0; n < 3; n++) {
      const { body } = await admin.post(`${TEAM}/${id}/sign-in-link`, {});
      sessions.push(await signedIn(url, '/v1/sign-in/link', { token: body.url.split('/').at(-1) }));
    }
    return sessions;
  }

  it.each<[string, (id: string) => Promise<ApiResponse>, number]>([
    ['whose role was reduced', (id) => put(admin, id, { role: 'viewer' }), 403],
    ['who was removed', (id) => admin.del(`${TEAM}/${id}`), 401],
  ])('are rejected once the change returns, for each key and session of a responder %s', async (_, change, refused) => {
    const ben = await memberOf(admin, 'responder');
    const keys = [ben, ...(await Promise.all(Array.from({ length: 4 }, () => keyOf(ben)))), ...(await sessionsOf(ben))];
    const action = await newAction(admin, { url: 'https://example.com/{{x}}' });
    // An invalid body is reported after authorization.
    const run = storm((n) => keys[n]!.post(`/v1/actions/${action}/run`, { vars: 1 }));
    await eventually(() => run.seen.length > 20, 30_000);
    const { status } = await change(ben.id);
    const answeredAt = performance.now();
    const later = () => run.seen.filter(({ sent }) => sent >= answeredAt);
    await eventually(() => later().length > 20, 30_000);
    await run.end();
    expect(status).toBeLessThan(300);
    const before = run.seen.filter(({ sent }) => sent < answeredAt);
    expect(before.filter((one) => one.status === 400).length).toBeGreaterThan(10);
    expect(new Set(later().map((one) => one.status))).toEqual(new Set([refused]));
  });
});
