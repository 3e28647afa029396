import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Algorithm, makeAuthenticator, type Tampering } from '#infra/docs/authenticator.ts';
import { disableAccount } from '#lib/access/change-account.ts';
import { type ApiResponse, clientOf, failure, newTenantOf, TIME, times } from '#test/support/client.ts';
import { PAGE, PASSKEYS, passkeyService } from '#test/support/passkeys.ts';

let world: Awaited<ReturnType<typeof passkeyService>>;
beforeAll(async () => {
  world = await passkeyService();
});
afterAll(() => world.service.stop());

const audited = { actor: { type: 'system' }, target: { type: 'passkey' } };
const cookieOf = ({ headers }: ApiResponse) => headers.getSetCookie();
const expectRefused = (response: ApiResponse, words: RegExp) => {
  expect(response).toMatchObject(failure(401, 'UNAUTHORIZED'));
  expect(response.body.error).toMatch(words);
  expect(cookieOf(response)).toEqual([]);
};

describe('a sign-in with a passkey', () => {
  it('returns the session in a cookie that pages, other hosts and plain connections cannot read', async () => {
    const { authenticator, tenant } = await world.person();
    const response = await world.browser.signInWith(authenticator);
    expect(response).toMatchObject({
      status: 201,
      body: { method: 'passkey', role: 'admin', scopes: null, account: { id: tenant }, current: true },
    });
    const [cookie, ...more] = cookieOf(response);
    expect(more).toEqual([]);
    expect(cookie).toMatch(/^__Host-fleetwatch_session=[0-9A-Za-z]{43}; /);
    for (const word of ['Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(word);
  });

  it('requests a discoverable passkey and user verification', async () => {
    const { status, body } = await world.browser.options();
    expect(status).toBe(200);
    expect(body).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'status.example.com',
      allowCredentials: [],
      userVerification: 'required',
      timeout: 300_000,
    });
  });

  it('issues a new challenge each time', async () => {
    const drawn = await times(20, world.browser.options);
    expect(new Set(drawn.map(({ body }) => body.challenge)).size).toBe(20);
  });

  it.each<Algorithm>([-8, -7, -257])('accepts keys of the algorithm %i', async (algorithm) => {
    const client = await newTenantOf(world.service);
    const authenticator = makeAuthenticator({ algorithm });
    expect(await world.browser.addTo(client, authenticator)).toMatchObject({ status: 201 });
    expect(await world.browser.signInWith(authenticator)).toMatchObject({ status: 201 });
  });

  it('updates the time of last use and the backup state of the passkey', async () => {
    const client = await newTenantOf(world.service);
    const authenticator = makeAuthenticator({ synced: true });
    const { body: added } = await world.browser.addTo(client, authenticator);
    expect(added).toMatchObject({ last_used_at: null, synced: true });
    await world.browser.signInWith(authenticator);
    expect((await client.get(PASSKEYS)).body).toEqual([{ ...added, last_used_at: TIME }]);
  });

  it('works at http://localhost only with its own passkeys, not with passkeys of another host', async () => {
    const { authenticator, ...person } = await world.person();
    const local = world.atLocalhost();
    const second = makeAuthenticator();
    expect(await local.addTo(person, second)).toMatchObject({ status: 201, body: { rp_id: 'localhost' } });
    expect(await local.signInWith(second)).toMatchObject({ status: 201 });

    // A browser would not do this, because it offers a passkey only to the host of the passkey.
    const { body } = await local.options();
    const elsewhere = authenticator.get({ ...body, rpId: 'status.example.com' }, PAGE, { rp_id: 'localhost' });
    expectRefused(await local.signIn(elsewhere), /is unknown/);
  });
});

describe('a forged response', () => {
  it.each<[string, Tampering & { origin?: string }, RegExp]>([
    ['for a page of another site', { origin: 'https://status.example.com.evil.example' }, /page of another origin/],
    ['for the page at another port', { origin: `${PAGE}:8443` }, /page of another origin/],
    ['for the page without TLS', { origin: 'http://status.example.com' }, /page of another origin/],
    ['in the frame of another page', { cross_origin: true }, /page of another origin/],
    ['for another rp_id', { rp_id: 'evil.example' }, /another address/],
    ['for an unknown challenge', { challenge: 'A'.repeat(43) }, /Request new ones/],
    ['without user verification', { user_verified: false }, /did not verify/],
    ['for another user', { user_handle: Buffer.from('usr_unknown').toString('base64url') }, /is unknown/],
  ])('is rejected: %s', async (_name, { origin = PAGE, ...tampering }, words) => {
    const { authenticator } = await world.person();
    const { body: options } = await world.browser.options();
    expectRefused(await world.browser.signIn(authenticator.get(options, origin, tampering)), words);
    // The challenge stays valid: an attacker cannot use it up.
    expect(await world.browser.signIn(authenticator.get(options, PAGE))).toMatchObject({ status: 201 });
  });

  it('is rejected when another key signed it', async () => {
    const { authenticator } = await world.person();
    const other = await world.person();
    const { body: options } = await world.browser.options();
    const own = authenticator.get(options, PAGE);
    const { signature } = other.authenticator.get(options, PAGE).response;
    expectRefused(await world.browser.signIn({ ...own, response: { ...own.response, signature } }), /signature/);
  });

  it('is rejected when its counter was changed after signing', async () => {
    const { authenticator } = await world.person();
    const own = authenticator.get((await world.browser.options()).body, PAGE);
    const data = Buffer.from(own.response.authenticatorData, 'base64url');
    data.writeUInt32BE(data.readUInt32BE(33) + 1000, 33);
    const response = { ...own.response, authenticatorData: data.toString('base64url') };
    expectRefused(await world.browser.signIn({ ...own, response }), /signature/);
  });

  it('is rejected for an unknown passkey', async () => {
    const stranger = makeAuthenticator();
    stranger.create((await world.browser.newOptions(await newTenantOf(world.service))).body, PAGE);
    expectRefused(await world.browser.signInWith(stranger), /This passkey is unknown; it may have been removed\./);
  });
});

describe('the counter of a passkey', () => {
  it('must increase: a cloned passkey is detected and logged', async () => {
    const { authenticator, passkey, get } = await world.person();
    expect(await world.browser.signInWith(authenticator, { counter: 9 })).toMatchObject({ status: 201 });
    for (const counter of [9, 8, 0]) {
      expectRefused(
        await world.browser.signInWith(authenticator, { counter }),
        /counter of this passkey did not increase/,
      );
    }
    expect((await get('/v1/audit?action=passkey.refuse')).body).toMatchObject(Array(3).fill(audited));
    expect(await world.browser.signInWith(authenticator, { counter: 10 })).toMatchObject({ status: 201 });
    expect(world.lines.filter(({ fields }) => fields.passkey_id === passkey.id)).toHaveLength(3);
  });

  it('is compared only after the signature is verified, so that forged responses do not report a clone', async () => {
    const { authenticator } = await world.person();
    await world.browser.signInWith(authenticator, { counter: 9 });
    const own = authenticator.get((await world.browser.options()).body, PAGE, { counter: 3 });
    const forged = { ...own, response: { ...own.response, signature: flipped(own.response.signature) } };
    expectRefused(await world.browser.signIn(forged), /signature/);
  });

  it('can stay at 0 if the authenticator does not count', async () => {
    const client = await newTenantOf(world.service);
    const authenticator = makeAuthenticator();
    await world.browser.addTo(client, authenticator, 'phone', { counter: 0 });
    for (const counter of [0, 0, 0])
      expect(await world.browser.signInWith(authenticator, { counter })).toMatchObject({ status: 201 });
  });
});

/** Flips a bit in the last byte of an ECDSA signature, which belongs to an integer, so the DER stays valid. */
function flipped(base64url: string): string {
  const bytes = Buffer.from(base64url, 'base64url');
  bytes[bytes.length - 1]! ^= 1;
  return bytes.toString('base64url');
}

describe('a challenge', () => {
  it('is valid for one sign-in', async () => {
    const { authenticator } = await world.person();
    const { body: options } = await world.browser.options();
    const response = () => world.browser.signIn(authenticator.get(options, PAGE));
    expect(await response()).toMatchObject({ status: 201 });
    expectRefused(await response(), /already used/);
  });

  it('is valid for one of twenty concurrent sign-ins', async () => {
    const client = await newTenantOf(world.service);
    const authenticator = makeAuthenticator();
    await world.browser.addTo(client, authenticator, 'phone', { counter: 0 });
    const { body: options } = await world.browser.options();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => world.browser.signIn(authenticator.get(options, PAGE, { counter: 0 }))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) expectRefused(response, /already used/);
  });

  it('is valid for five minutes', async () => {
    const { authenticator } = await world.person();
    const { body: options } = await world.browser.options();
    const { body: late } = await world.browser.options();
    world.advance(5 * 60_000 - 5000);
    expect(await world.browser.signIn(authenticator.get(options, PAGE))).toMatchObject({ status: 201 });
    world.advance(6000);
    expectRefused(await world.browser.signIn(authenticator.get(late, PAGE)), /older than 5 minutes/);
  });

  it('is rejected at sign-in if it was issued for a registration', async () => {
    const { authenticator, ...person } = await world.person();
    const { challenge } = (await world.browser.newOptions(person)).body;
    const { body: options } = await world.browser.options();
    expectRefused(await world.browser.signIn(authenticator.get({ ...options, challenge }, PAGE)), /Request new ones/);
  });
});

describe('a sign-in that is rejected', () => {
  it('uses a removed passkey', async () => {
    const { authenticator, passkey, ...person } = await world.person();
    expect(await person.del(`${PASSKEYS}/${passkey.id}`)).toMatchObject({ status: 204 });
    expectRefused(await world.browser.signInWith(authenticator), /is unknown/);
  });

  it('uses a passkey of a removed user, who cannot add one either', async () => {
    const admin = await newTenantOf(world.service);
    const invited = await admin.post('/v1/settings/users/invite', { email: 'ben@example.com', role: 'member' });
    const joined = await admin.post('/v1/invitations/accept', { token: invited.body.invite_token, name: 'Ben' });
    const ben = clientOf(world.service.url, joined.body.key);
    const authenticator = makeAuthenticator();
    await world.browser.addTo(ben, authenticator);
    expect(await world.browser.signInWith(authenticator)).toMatchObject({ status: 201 });
    const { body: pending } = await world.browser.newOptions(ben);
    expect(await admin.del(`/v1/settings/users/${joined.body.user.id}`)).toMatchObject({ status: 204 });
    expectRefused(await world.browser.signInWith(authenticator), /is unknown/);
    const late = await world.browser.add(ben, makeAuthenticator().create(pending, PAGE));
    expect(late).toMatchObject(failure(401, 'UNAUTHORIZED'));
    // The passkey was deleted with its user, so that the authenticator can be registered again.
    expect(await world.browser.addTo(admin, authenticator)).toMatchObject({ status: 201 });
  });

  it('belongs to an account that the operator disabled', async () => {
    const { authenticator, tenant } = await world.person();
    await disableAccount({ ...world.service, tenant, origin: 'operator' });
    const response = await world.browser.signInWith(authenticator);
    expect(response).toMatchObject(failure(403, 'ACCOUNT_DISABLED'));
    expect(cookieOf(response)).toEqual([]);
  });
});

describe('a host without passkeys', () => {
  it.each([
    ['an IP address', () => world.service.url, /IP address/],
    ['a page of another host', () => 'https://evil.example', /not an address of this service/],
  ])('rejects a sign-in with a passkey: %s', async (_name, origin, words) => {
    const headers = { origin: origin() };
    const anonymous = clientOf(world.service.url, '');
    const { authenticator } = await world.person();
    const response = authenticator.get((await world.browser.options()).body, PAGE);
    for (const answer of [
      await anonymous.send('POST', '/v1/sign-in/passkey/options', { headers }),
      await anonymous.send('POST', '/v1/sign-in/passkey', { body: { response }, headers }),
    ]) {
      expect(answer).toMatchObject(failure(403, 'FORBIDDEN'));
      expect(answer.body.error).toMatch(words);
    }
  });
});
