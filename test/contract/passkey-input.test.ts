import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthenticator, type Tampering } from '#infra/docs/authenticator.ts';
import { type Client, failure, newTenantOf } from '#test/support/client.ts';
import { PAGE, passkeyService } from '#test/support/passkeys.ts';

let world: Awaited<ReturnType<typeof passkeyService>>;
let client: Client;
beforeAll(async () => {
  world = await passkeyService();
  client = await newTenantOf(world.service);
});
afterAll(() => world.service.stop());

const fresh = () => newTenantOf(world.service);
const passkeyCount = async (by: Client) => (await by.get('/v1/settings/users')).body[0].passkeys;

describe('the authenticator response of a sign-in', () => {
  const good = async () => {
    const { authenticator } = await world.person();
    return authenticator.get((await world.browser.options()).body, PAGE);
  };
  type Response = Awaited<ReturnType<typeof good>>;
  const inside = (change: object) => (own: Response) => ({ ...own, response: { ...own.response, ...change } });
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each<[string, (own: Response) => unknown, string]>([
    ['nothing', () => undefined, 'response'],
    ['null', () => null, 'response'],
    ['a text', () => 'response', 'response'],
    ['an empty object', () => ({}), 'response.id'],
    ['JSON of another kind', () => ({ username: 'ann', password: 'secret' }), 'response.id'],
    ['no id', ({ id: _id, ...own }) => own, 'response.id'],
    ['an empty id', (own) => ({ ...own, id: '' }), 'response.id'],
    ['an id that is not base64url', (own) => ({ ...own, id: 'a b' }), 'response.id'],
    ['an id whose unused bits are not 0', (own) => ({ ...own, id: 'YR' }), 'response.id'],
    ['an id that is too long', (own) => ({ ...own, id: 'a'.repeat(1365) }), 'response.id'],
    ['another credential type', (own) => ({ ...own, type: 'password' }), 'response.type'],
    ['no signature', inside({ signature: undefined }), 'response.response.signature'],
    ['a signature of 0 bytes', inside({ signature: '' }), 'response.response.signature'],
    ['no user handle', inside({ userHandle: null }), 'response.response.userHandle'],
    ['a signature that is not text', inside({ signature: [1, 2] }), 'response.response.signature'],
    ['a signature that is invalid', inside({ signature: 'AAAA' }), 'response'],
    ['client data that is not JSON', inside({ clientDataJSON: 'AAAA' }), 'response'],
    ['client data that is a list', inside({ clientDataJSON: text([]) }), 'response'],
    ['client data without an origin', inside({ clientDataJSON: text({ type: 'webauthn.get' }) }), 'response'],
    ['authenticator data of 3 bytes', inside({ authenticatorData: 'AAAA' }), 'response'],
    ['empty client data', inside({ clientDataJSON: '' }), 'response.response.clientDataJSON'],
  ])('is rejected with a path: %s', async (_name, change, path) => {
    const response = await world.browser.signIn(change(await good()));
    expect(response).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(response.body.details[0].path).toBe(path);
    expect(response.body.error).toMatch(/\w+ \w+/);
  });

  it('is rejected if it belongs to a registration', async () => {
    const { authenticator } = await world.person();
    const { body: options } = await world.browser.options();
    const response = await world.browser.signIn(authenticator.get(options, PAGE, { type: 'webauthn.create' }));
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response'));
    expect(response.body.error).toMatch(/another purpose/);
  });

  it.each([
    ['300 KB', 300_000],
    ['more than any authenticator sends', 66_000],
  ])('is rejected unread when it has %s', async (_name, size) => {
    const own = await good();
    const response = await world.browser.signIn({ ...own, padding: 'a'.repeat(size) });
    expect(response).toMatchObject(failure(413, 'PAYLOAD_TOO_LARGE'));
  });

  it('may contain unknown properties of future browsers', async () => {
    const own = await good();
    const more = { ...own, extra: { deep: [1] }, response: { ...own.response, more: true } };
    expect(await world.browser.signIn(more)).toMatchObject({ status: 201 });
  });

  it('keeps its challenge out of errors and the log', async () => {
    const own = await good();
    const { challenge } = JSON.parse(Buffer.from(own.response.clientDataJSON, 'base64url').toString());
    const { error } = (await world.browser.signIn({ ...own, id: 'AAAA' })).body;
    expect(error).not.toContain(challenge);
    expect(JSON.stringify(world.lines)).not.toContain(challenge);
  });
});

describe('a registration that is rejected', () => {
  it.each<[string, Tampering & { origin?: string }, RegExp]>([
    ['for another page', { origin: 'https://evil.example' }, /page of another origin/],
    ['in the frame of another page', { cross_origin: true }, /page of another origin/],
    ['for another rp_id', { rp_id: 'evil.example' }, /another address/],
    ['for an unknown challenge', { challenge: 'A'.repeat(43) }, /Request new ones/],
    ['without user verification', { user_verified: false }, /did not verify/],
    ['with client data of a sign-in', { type: 'webauthn.get' }, /another purpose/],
  ])('%s', async (_name, { origin = PAGE, ...tampering }, words) => {
    const own = await fresh();
    const { body: options } = await world.browser.newOptions(own);
    const response = await world.browser.add(own, makeAuthenticator().create(options, origin, tampering));
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response'));
    expect(response.body.error).toMatch(words);
    expect(await passkeyCount(own)).toBe(0);
    expect(await world.browser.add(own, makeAuthenticator().create(options, PAGE))).toMatchObject({ status: 201 });
  });

  it('has the response of a sign-in, without an attestation', async () => {
    const { authenticator, ...person } = await world.person();
    const { body: options } = await world.browser.options();
    const response = await world.browser.add(person, authenticator.get(options, PAGE));
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response.response.attestationObject'));
  });

  const garbled: [string, string][] = [
    ['that is not CBOR', 'AAAA'],
    ['of an empty map', Buffer.from([0xa0]).toString('base64url')],
    ['without authenticator data', Buffer.from('a163666d74646e6f6e65', 'hex').toString('base64url')],
    ['with authenticator data that is a text', Buffer.from('a168617574684461746161', 'hex').toString('base64url')],
    ['nested 12,000 deep', Buffer.alloc(12_000, 0x81).toString('base64url')],
  ];
  it.each(garbled)('has an attestation %s', async (_name, attestationObject) => {
    const own = await fresh();
    const good = makeAuthenticator().create((await world.browser.newOptions(own)).body, PAGE);
    const response = await world.browser.add(own, { ...good, response: { ...good.response, attestationObject } });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response'));
  });

  it('has an attestation that is truncated at any byte', async () => {
    const own = await fresh();
    const good = makeAuthenticator().create((await world.browser.newOptions(own)).body, PAGE);
    const whole = Buffer.from(good.response.attestationObject, 'base64url');
    for (let length = 1; length < whole.length; length += 7) {
      const attestationObject = whole.subarray(0, length).toString('base64url');
      const response = await world.browser.add(own, { ...good, response: { ...good.response, attestationObject } });
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'response'));
    }
    expect(await passkeyCount(own)).toBe(0);
  });

  it.each([
    ['nothing', undefined, 'response'],
    ['a list', [], 'response'],
    ['JSON of another kind', { token: 'x' }, 'response.id'],
  ])('is %s', async (_name, response, path) => {
    const answer = await world.browser.add(client, response);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.details[0].path).toBe(path);
  });

  it('has 300 KB', async () => {
    const response = await world.browser.add(client, { id: 'a'.repeat(300_000) });
    expect(response).toMatchObject(failure(413, 'PAYLOAD_TOO_LARGE'));
  });
});
