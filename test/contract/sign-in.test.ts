import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { type Page, pageAt, signedInByLink, signedInWith, tokenOf } from '#test/support/page.ts';
import { type Tenant, target } from '#test/support/service.ts';

let url: string;
let admin: Client & Tenant;
/** User id of the admin. */
let adminId: string;
beforeAll(async () => {
  ({ url } = await target());
  admin = await newTenant();
  adminId = (await admin.get('/v1/me')).body.user.id;
});

const ended = failure(401, 'UNAUTHORIZED');
const linkTokenFor = async (user: string, body?: object): Promise<string> =>
  tokenOf((await admin.post(`/v1/settings/users/${user}/sign-in-link`, body)).body.url);
const redeem = (token: string, page: Page = pageAt(url)) => page.post('/v1/sign-in/link', { token });

describe('a sign-in with a key', () => {
  it('has the permissions of the key and ends when the key is deleted', async () => {
    const reader = await keyOf(admin, { is_read_only: true });
    const page = await signedInWith(url, reader.key);
    expect((await page.get('/v1/me')).body).toMatchObject({ is_read_only: true, session: { method: 'key' } });
    expect(await page.post('/v1/blueprints', { slug: 'x', name: 'x' })).toMatchObject(failure(403, 'READ_ONLY'));
    const scoped = await signedInWith(url, (await keyOf(admin, { scopes: ['read'] })).key);
    expect((await scoped.get('/v1/session')).body).toMatchObject({ scopes: ['read'], role: 'admin' });
    expect(await scoped.post('/v1/blueprints', { slug: 'x', name: 'x' })).toMatchObject(failure(403, 'FORBIDDEN'));
    await admin.del(`/v1/auth/keys/${reader.id}`);
    expect(await page.get('/v1/me')).toMatchObject(ended);
    expect((await page.del('/v1/session')).status).toBe(204);
  });

  it('is rejected for a key that cannot read, and for an invalid one', async () => {
    const pushing = await keyOf(admin, { scopes: ['push'] });
    const refused = await pageAt(url).post('/v1/sign-in/key', { key: pushing.key });
    expect(refused).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(refused.body.error).toBe('This key has the scope push; this needs read. Create a key that has it.');
    for (const key of ['fw_', 'x', `fw_${'0'.repeat(43)}`, admin.key.slice(0, -1)]) {
      const response = await pageAt(url).post('/v1/sign-in/key', { key });
      expect(response, key).toMatchObject(failure(401, 'UNAUTHORIZED'));
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    for (const body of [{}, { key: '' }, { key: 1 }, { key: 'x'.repeat(201) }]) {
      expect(await pageAt(url).post('/v1/sign-in/key', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'key'));
    }
  });
});

describe('a sign-in link', () => {
  it('signs a member in once, with their own role, for 12 hours', async () => {
    const member = await memberOf(admin);
    const made = await admin.post(`/v1/settings/users/${member.id}/sign-in-link`);
    expect(made).toMatchObject({ status: 201, body: { expires_at: TIME } });
    expect(made.body.url).toMatch(/^https?:\/\/[^/]+\/#\/link\/fwl_[0-9A-Za-z]{43}$/);
    expect(Date.parse(made.body.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const page = pageAt(url);
    const signedIn = await redeem(tokenOf(made.body.url), page);
    expect(signedIn).toMatchObject({ status: 201, body: { method: 'link', role: 'member', user: { id: member.id } } });
    const lasts = Date.parse(signedIn.body.expires_at) - Date.parse(signedIn.body.created_at);
    expect(lasts).toBe(12 * 3_600_000);
    expect(await redeem(tokenOf(made.body.url))).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect((await page.get('/v1/me')).status).toBe(200);
  });

  it('signs in one of twenty concurrent requests', async () => {
    const token = await linkTokenFor(adminId);
    const responses = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
    const won = responses.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const lost of responses.filter((one) => one !== won[0])) {
      expect(lost).toMatchObject(failure(401, 'UNAUTHORIZED'));
      expect(lost.headers.getSetCookie()).toEqual([]);
    }
  });

  it('is invalid after a newer one was created', async () => {
    const member = await memberOf(admin);
    const [old, newer] = [await linkTokenFor(member.id), await linkTokenFor(member.id)];
    expect(await redeem(old)).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect((await redeem(newer)).status).toBe(201);
  });

  it('ends all sessions of the user if requested, but keeps the keys', async () => {
    const member = await memberOf(admin);
    const page = await signedInByLink(url, admin, member.id);
    const token = await linkTokenFor(member.id, { revoke: true });
    expect(await page.get('/v1/me')).toMatchObject(ended);
    expect((await member.get('/v1/me')).status).toBe(200);
    expect((await redeem(token)).status).toBe(201);
  });

  it.each(['fwl_', 'fwi_x', 'x', `fwl_${'0'.repeat(43)}`])('is rejected when it is %s', async (token) => {
    expect(await redeem(token)).toMatchObject(failure(401, 'UNAUTHORIZED'));
  });

  it('can be created only by an admin, and only for active users', async () => {
    const member = await memberOf(admin);
    const invited = await admin.post('/v1/settings/users/invite', { email: 'not-yet@example.com', role: 'viewer' });
    const path = (id: string) => `/v1/settings/users/${id}/sign-in-link`;
    expect(await member.post(path(member.id))).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await admin.post(path(invited.body.id))).toMatchObject(failure(409, 'CONFLICT'));
    expect(await admin.post(path('usr_none'))).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.post(path(member.id), { revoke: 'yes' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'revoke'),
    );
    expect(await (await newTenant()).post(path(member.id))).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('an invitation', () => {
  it('starts a session instead of creating a key, if requested', async () => {
    const { invite_token } = (
      await admin.post('/v1/settings/users/invite', { email: 'viewer@example.com', role: 'viewer' })
    ).body;
    const page = pageAt(url);
    const body = { token: invite_token, name: 'Vic', key: false, session: true };
    const accepted = await page.post('/v1/invitations/accept', body);
    expect(accepted).toMatchObject({
      status: 201,
      body: { key: null, session: { method: 'invitation', role: 'viewer' } },
    });
    expect((await page.get('/v1/me')).body).toMatchObject({ role: 'viewer', user: { name: 'Vic' } });
    expect((await page.get('/v1/auth/keys')).body).toEqual([]);
    expect(await page.post('/v1/invitations/accept', body)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
