import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, failure, keyOf, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { ACCEPT, accept, address, clientWith, INVITE, invite, members, statuses, TEAM } from '#test/support/team.ts';

let admin: Client & { id: string };
let anonymous: Client;
beforeAll(async () => {
  admin = await newTenant();
  anonymous = await clientWith('');
});

describe('POST /v1/settings/users/invite', () => {
  it.each(['viewer', 'responder', 'member', 'admin'])('returns a pending %s with a token', async (role) => {
    const email = address();
    const made = await invite(admin, email, role);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^usr_/),
      email,
      name: '',
      role,
      status: 'pending',
      passkeys: 0,
      identities: 0,
      monthly_report: false,
      created_at: TIME,
      invite_token: expect.stringMatching(/^fwi_[0-9A-Za-z]{43}$/),
    });
    const { invite_token: _token, ...record } = made.body;
    expect(await members(admin)).toContainEqual(record);
  });

  it.each([
    ['no e-mail', { email: undefined }, 'email'],
    ['a null e-mail', { email: null }, 'email'],
    ['a number as e-mail', { email: 1 }, 'email'],
    ['an empty e-mail', { email: '' }, 'email'],
    ['an e-mail without @', { email: 'ben' }, 'email'],
    ['an e-mail with two @', { email: 'ben@a@example.com' }, 'email'],
    ['an e-mail with a space', { email: 'ben @example.com' }, 'email'],
    ['an e-mail with a line break', { email: 'ben@example.com\n' }, 'email'],
    ['an e-mail of 255 characters', { email: `${'b'.repeat(243)}@example.com` }, 'email'],
    ['an e-mail with a Kelvin sign', { email: '\u212aim@example.com' }, 'email'],
    ['an e-mail with a ligature', { email: 'o\ufb03ce@example.com' }, 'email'],
    ['no role', { role: undefined }, 'role'],
    ['an unknown role', { role: 'owner' }, 'role'],
    ['a role in capitals', { role: 'Admin' }, 'role'],
    ['a list of roles', { role: ['admin'] }, 'role'],
  ])('rejects %s', async (_name, change, path) => {
    expect(await admin.post(INVITE, { email: address(), role: 'member', ...change })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });

  it('rejects the e-mail address of an active user, in upper or lower case', async () => {
    const email = address();
    await accept((await invite(admin, email)).body.invite_token);
    const own = (await admin.get('/v1/me')).body.email;
    for (const known of [email, email.toUpperCase(), own]) {
      expect(await invite(admin, known)).toMatchObject(failure(409, 'CONFLICT'));
    }
  });

  it('gives a pending user a new token and role; the old token is invalid', async () => {
    const email = address();
    const first = (await invite(admin, email)).body;
    const second = await invite(admin, email.toUpperCase(), 'admin');
    expect(second).toMatchObject({ status: 201, body: { id: first.id, role: 'admin', status: 'pending' } });
    expect(second.body.invite_token).not.toBe(first.invite_token);
    expect((await members(admin)).filter(({ id }) => id === first.id)).toHaveLength(1);
    expect(await accept(first.invite_token)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await accept(second.body.invite_token)).toMatchObject({ status: 201, body: { user: { role: 'admin' } } });
  });

  it('creates one invitation with one valid token for 20 concurrent requests for an e-mail address', async () => {
    const email = address();
    const responses = await Promise.all(Array.from({ length: 20 }, () => invite(admin, email)));
    expect(statuses(responses)).toEqual(Array(20).fill(201));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    const accepted: ApiResponse[] = [];
    for (const { body } of responses) accepted.push(await accept(body.invite_token));
    expect(statuses(accepted)).toEqual([201, ...Array(19).fill(404)]);
    expect((await members(admin)).filter((one) => one.email === email)).toHaveLength(1);
  });

  it('creates all of 20 different concurrent invitations', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => invite(admin)));
    expect(statuses(responses)).toEqual(Array(20).fill(201));
    const ids = (await members(admin)).map(({ id }) => id);
    for (const { body } of responses) expect(ids).toContain(body.id);
  });

  it('accepts an e-mail address that exists only in another account', async () => {
    const email = address();
    const other = await newTenant();
    const [here, there] = [await invite(admin, email), await invite(other, email)];
    expect([here.status, there.status]).toEqual([201, 201]);
    const joined = await accept(there.body.invite_token);
    expect((await (await clientWith(joined.body.key)).get('/v1/me')).body.id).toBe(other.id);
    expect((await accept(here.body.invite_token)).status).toBe(201);
  });

  it('requires an admin whose key is not read-only', async () => {
    expect(await invite(await memberOf(admin))).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await invite(await keyOf(admin, { is_read_only: true }))).toMatchObject(failure(403, 'READ_ONLY'));
    expect(await invite(anonymous)).toMatchObject(failure(401, 'UNAUTHORIZED'));
  });
});

describe('POST /v1/invitations/accept', () => {
  it.each(['viewer', 'responder', 'member', 'admin'])(
    'creates a %s with a working key; the request needs no key',
    async (role) => {
      const { invite_token, ...invited } = (await invite(admin, address(), role)).body;
      const accepted = await accept(invite_token, 'Ben Björk 🙂');
      expect(accepted.status).toBe(201);
      expect(accepted.body).toEqual({
        user: { ...invited, name: 'Ben Björk 🙂', status: 'active' },
        key: expect.stringMatching(/^fw_[0-9A-Za-z]{43}$/),
        session: null,
      });
      expect(await members(admin)).toContainEqual(accepted.body.user);
      const ben = await clientWith(accepted.body.key);
      expect((await ben.get('/v1/me')).body).toMatchObject({ id: admin.id, role, is_read_only: false });
      const keys = (await ben.get('/v1/auth/keys')).body.filter(
        (one: { created_by: string }) => one.created_by === invited.id,
      );
      expect(keys).toMatchObject([{ prefix: accepted.body.key.slice(0, 8) }]);
    },
  );

  it('succeeds for one of ten concurrent requests', async () => {
    const { id, invite_token } = (await invite(admin)).body;
    const responses = await Promise.all(Array.from({ length: 10 }, (_, n) => accept(invite_token, `Ben ${n}`)));
    expect(statuses(responses)).toEqual([201, ...Array(9).fill(404)]);
    const won = responses.find(({ status }) => status === 201)!;
    expect((await members(admin)).filter((one) => one.id === id)).toEqual([won.body.user]);
    const keys = (await admin.get('/v1/auth/keys')).body.filter((one: { created_by: string }) => one.created_by === id);
    expect(keys).toHaveLength(1);
    expect(await accept(invite_token)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('returns the same error for a used, withdrawn, replaced and invented token', async () => {
    const used = (await invite(admin)).body;
    await accept(used.invite_token);
    const withdrawn = (await invite(admin)).body;
    await admin.del(`${TEAM}/${withdrawn.id}`);
    const replaced = (await invite(admin)).body;
    await invite(admin, replaced.email);
    const madeUp = `fwi_${'0'.repeat(43)}`;
    const responses = await Promise.all(
      [used.invite_token, withdrawn.invite_token, replaced.invite_token, madeUp, 'x', 'ü'].map((token) =>
        accept(token),
      ),
    );
    for (const response of responses) {
      expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
      expect(response.body.error).toBe(responses[0]!.body.error);
    }
  });

  it('accepts neither an API key nor an altered token', async () => {
    const { invite_token } = (await invite(admin)).body;
    for (const token of [admin.key, invite_token.toLowerCase(), invite_token.slice(0, -1), ` ${invite_token}`]) {
      expect(await accept(token)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(await (await clientWith(invite_token)).get('/v1/me')).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect((await accept(invite_token)).status).toBe(201);
  });

  it.each([
    ['no token', { token: undefined }, 'token'],
    ['a null token', { token: null }, 'token'],
    ['an empty token', { token: '' }, 'token'],
    ['a number as token', { token: 7 }, 'token'],
    ['a token of 201 characters', { token: 'x'.repeat(201) }, 'token'],
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['an object as name', { name: {} }, 'name'],
  ])('rejects %s and keeps the token valid', async (_name, change, path) => {
    const { invite_token } = (await invite(admin)).body;
    expect(await anonymous.post(ACCEPT, { token: invite_token, name: 'Ben', ...change })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
    expect((await accept(invite_token)).status).toBe(201);
  });

  it('rejects a garbled body', async () => {
    expect(await anonymous.post(ACCEPT, '{')).toMatchObject(failure(400, 'VALIDATION_ERROR', ''));
  });

  it('ignores a key in the request', async () => {
    const other = await newTenant();
    const { id, invite_token } = (await invite(admin)).body;
    expect((await other.post(ACCEPT, { token: invite_token, name: 'Ben' })).status).toBe(201);
    expect((await members(admin)).find((one) => one.id === id)).toMatchObject({ status: 'active' });
    expect(await members(other)).toHaveLength(1);
  });
});
