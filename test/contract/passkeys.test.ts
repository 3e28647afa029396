import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthenticator } from '#infra/docs/authenticator.ts';
import { type Client, clientOf, failure, newTenantOf, TIME } from '#test/support/client.ts';
import { PAGE, PASSKEYS, passkeyService } from '#test/support/passkeys.ts';

let world: Awaited<ReturnType<typeof passkeyService>>;
let client: Client;
beforeAll(async () => {
  world = await passkeyService();
});
beforeAll(async () => {
  client = await newTenantOf(world.service);
});
afterAll(() => world.service.stop());

const fresh = () => newTenantOf(world.service);
const passkeyCount = async (by: Client) => (await by.get('/v1/settings/users')).body[0].passkeys;

describe('registration options', () => {
  it('require a discoverable passkey of the user, and user verification', async () => {
    const { body: me } = await client.get('/v1/me');
    const { status, body } = await world.browser.newOptions(client);
    expect(status).toBe(200);
    expect(body).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: 'status.example.com', name: 'Fleetwatch' },
      user: {
        id: Buffer.from(me.user.id).toString('base64url'),
        name: me.user.email,
        displayName: me.user.name,
      },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
      timeout: 300_000,
    });
  });

  it('exclude the existing passkeys, so that no authenticator has two', async () => {
    const own = await fresh();
    const first = makeAuthenticator().create((await world.browser.newOptions(own)).body, PAGE);
    await world.browser.add(own, first);
    const { body } = await world.browser.newOptions(own);
    expect(body.excludeCredentials).toEqual([{ id: first.id, type: 'public-key' }]);
  });
});

describe('a new passkey', () => {
  it('is shown, listed and counted', async () => {
    const own = await fresh();
    expect(await passkeyCount(own)).toBe(0);
    const added = await world.browser.addTo(own, makeAuthenticator(), 'laptop');
    expect(added).toMatchObject({ status: 201 });
    expect(added.body).toEqual({
      id: expect.stringMatching(/^psk_/),
      name: 'laptop',
      rp_id: 'status.example.com',
      created_at: TIME,
      last_used_at: null,
      synced: false,
    });
    const second = await world.browser.addTo(own, makeAuthenticator({ synced: true }), 'phone');
    expect((await own.get(PASSKEYS)).body).toEqual([added.body, second.body]);
    expect(second.body.synced).toBe(true);
    expect(await passkeyCount(own)).toBe(2);
  });

  it('is rejected for a used challenge', async () => {
    const own = await fresh();
    const { body: options } = await world.browser.newOptions(own);
    const add = () => world.browser.add(own, makeAuthenticator().create(options, PAGE));
    expect(await add()).toMatchObject({ status: 201 });
    const again = await add();
    expect(again).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response'));
    expect(again.body.error).toMatch(/already used/);
    expect(await passkeyCount(own)).toBe(1);
  });

  it('is created once for twenty concurrent requests with one challenge', async () => {
    const own = await fresh();
    const { body: options } = await world.browser.newOptions(own);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.browser.add(own, makeAuthenticator().create(options, PAGE))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(19);
    expect(await passkeyCount(own)).toBe(1);
  });

  it('is rejected for a challenge of another user, or of a sign-in', async () => {
    const [own, other] = [await fresh(), await fresh()];
    const { body: options } = await world.browser.newOptions(own);
    const { challenge } = (await world.browser.options()).body;
    for (const response of [
      await world.browser.add(other, makeAuthenticator().create(options, PAGE)),
      await world.browser.add(own, makeAuthenticator().create({ ...options, challenge }, PAGE)),
    ]) {
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response'));
      expect(response.body.error).toMatch(/belong to another user/);
    }
  });

  it('is rejected for a challenge older than five minutes', async () => {
    const own = await fresh();
    const { body: options } = await world.browser.newOptions(own);
    world.advance(5 * 60_000 + 1000);
    const response = await world.browser.add(own, makeAuthenticator().create(options, PAGE));
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response'));
  });

  it('is a CONFLICT if it is registered already, for any user', async () => {
    const [own, other] = [await fresh(), await fresh()];
    const credential_id = Buffer.alloc(32, 7);
    const add = (by: Client) => world.browser.addTo(by, makeAuthenticator(), 'laptop', { credential_id });
    expect(await add(own)).toMatchObject({ status: 201 });
    for (const by of [other, own]) expect(await add(by)).toMatchObject(failure(409, 'CONFLICT'));
    expect(await passkeyCount(other)).toBe(0);
    expect(await passkeyCount(own)).toBe(1);
  });

  it('is rejected beyond ten, even when they are created concurrently', async () => {
    const own = await fresh();
    const options = await Promise.all(Array.from({ length: 12 }, () => world.browser.newOptions(own)));
    const responses = await Promise.all(
      options.map(({ body }) => world.browser.add(own, makeAuthenticator().create(body, PAGE))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(response).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    }
    expect(await passkeyCount(own)).toBe(10);
    expect(await world.browser.newOptions(own)).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
  });

  it('is accepted with any attestation, because none is requested or verified', async () => {
    const statement = { fmt: 'packed', attStmt: new Map([['x5c', 'no certificate']]) };
    const added = await world.browser.addTo(await fresh(), makeAuthenticator(), 'stick', { statement });
    expect(added).toMatchObject({ status: 201 });
  });
});

describe('the name of a passkey', () => {
  it.each([
    ['empty', ''],
    ['blank', '  '],
    ['of control characters', '\u0007\u0000'],
    ['of two lines', 'lap\ntop'],
    ['of reversed text direction', 'lap\u202etop'],
    ['of 201 characters', 'a'.repeat(201)],
  ])('cannot be %s', async (_name, name) => {
    const { authenticator: _authenticator, passkey, ...person } = await world.person();
    const { body: options } = await world.browser.newOptions(person);
    const added = await world.browser.add(person, makeAuthenticator().create(options, PAGE), name);
    expect(added).toMatchObject(failure(400, 'VALIDATION_ERROR', 'name'));
    const renamed = await person.put(`${PASSKEYS}/${passkey.id}`, { name });
    expect(renamed).toMatchObject(failure(400, 'VALIDATION_ERROR', 'name'));
  });

  it('can be changed without other changes', async () => {
    const { authenticator, passkey, ...person } = await world.person();
    const renamed = await person.put(`${PASSKEYS}/${passkey.id}`, { name: 'old laptop 🧳' });
    expect(renamed).toMatchObject({ status: 200 });
    expect(renamed.body).toEqual({ ...passkey, name: 'old laptop 🧳' });
    expect((await person.get(PASSKEYS)).body).toEqual([renamed.body]);
    expect(await world.browser.signInWith(authenticator)).toMatchObject({ status: 201 });
  });
});

describe('passkeys of another user', () => {
  it('are hidden from an admin of the same account and from another account', async () => {
    const admin = await world.person();
    const invited = await admin.post('/v1/settings/users/invite', { email: 'ben@example.com', role: 'admin' });
    const joined = await admin.post('/v1/invitations/accept', { token: invited.body.invite_token, name: 'Ben' });
    for (const other of [clientOf(world.service.url, joined.body.key), await fresh()]) {
      const place = `${PASSKEYS}/${admin.passkey.id}`;
      expect((await other.get(PASSKEYS)).body).toEqual([]);
      expect(await other.put(place, { name: 'mine' })).toMatchObject(failure(404, 'NOT_FOUND'));
      expect(await other.del(place)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(await world.browser.signInWith(admin.authenticator)).toMatchObject({ status: 201 });
  });
});

describe('a read-only key', () => {
  it('cannot list, add or remove passkeys of its user', async () => {
    const { passkey, ...person } = await world.person();
    const { body } = await person.post('/v1/auth/keys', { label: 'reader', is_read_only: true });
    const reader = clientOf(world.service.url, body.key);
    for (const response of [
      await reader.get(PASSKEYS),
      await reader.del(`${PASSKEYS}/${passkey.id}`),
      await world.browser.newOptions(reader),
    ]) {
      expect(response).toMatchObject(failure(403, 'READ_ONLY'));
    }
  });
});

describe('a removed passkey', () => {
  it('is gone, even the last one', async () => {
    const { passkey, ...person } = await world.person();
    const place = `${PASSKEYS}/${passkey.id}`;
    expect(await person.del(place)).toMatchObject({ status: 204 });
    expect((await person.get(PASSKEYS)).body).toEqual([]);
    expect(await passkeyCount(person)).toBe(0);
    expect(await person.del(place)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await person.put(place, { name: 'back' })).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
