import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '#test/support/client.ts';
import { ENCODINGS } from '#test/support/encodings.ts';
import type { Fault } from '#test/support/identity-provider.ts';
import {
  CALLBACK,
  invited,
  newAdmin,
  newMember,
  newPerson,
  type OidcWorld,
  oidcWorld,
  passProvider,
  sessionOf,
  toCallback,
} from '#test/support/oidc-world.ts';
import { PlainBrowser } from '#test/support/plain-browser.ts';

let dir: string;
let world: OidcWorld;
let admin: Client & { id: string };
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fleetwatch-oidc-'));
  world = await oidcWorld({ dir });
  admin = await newAdmin(world);
});
afterEach(() => {
  world.provider.fault = {};
});

const refused = (error: string) => ({ status: 303, location: `/#/sign-in?error=${error}` });
const begin = (browser: PlainBrowser, body: object = {}, headers: Record<string, string> = {}) =>
  browser.call(`${world.page}/v1/sign-in/oidc`, { method: 'POST', body, headers });

describe('a callback that is rejected', () => {
  it('comes from another browser, and does not end the sign-in of the first', async () => {
    const { person } = await newMember(world, admin);
    const browser = new PlainBrowser();
    const callback = await toCallback(world, browser, person);
    const victim = new PlainBrowser();
    expect(await victim.visit(callback)).toMatchObject(refused('expired'));
    await begin(victim);
    expect(await victim.visit(callback)).toMatchObject(refused('expired'));
    expect(await sessionOf(world, victim)).toBeUndefined();
    expect((await browser.visit(callback)).location).toBe('/');
  });

  it('comes a second time', async () => {
    const { person } = await newMember(world, admin);
    const browser = new PlainBrowser();
    const callback = await toCallback(world, browser, person);
    const before = browser.copy();
    expect((await browser.visit(callback)).location).toBe('/');
    expect(await browser.visit(callback)).toMatchObject(refused('expired'));
    expect(await before.visit(callback)).toMatchObject(refused('expired'));
  });

  it('is one of twenty concurrent copies, of which only one is accepted', async () => {
    const { person } = await newMember(world, admin);
    const browser = new PlainBrowser();
    const callback = await toCallback(world, browser, person);
    const browsers = Array.from({ length: 20 }, () => browser.copy());
    const responses = await Promise.all(browsers.map((one) => one.visit(callback)));
    const locations = responses.map(({ location }) => location).toSorted();
    expect(locations).toEqual(['/', ...Array(19).fill(refused('expired').location)]);
    const sessions = await Promise.all(browsers.map((one) => sessionOf(world, one)));
    expect(sessions.filter(Boolean)).toHaveLength(1);
  });

  it('has a used code', async () => {
    const { person } = await newMember(world, admin);
    const first = new PlainBrowser();
    const callback = new URL(await toCallback(world, first, person));
    await first.visit(callback.href);
    const second = new PlainBrowser();
    const other = new URL(await toCallback(world, second, person));
    other.searchParams.set('code', callback.searchParams.get('code')!);
    expect(await second.visit(other.href)).toMatchObject(refused('failed'));
  });

  it('has a code of another user', async () => {
    const { person } = await newMember(world, admin);
    const foreign = new URL(await toCallback(world, new PlainBrowser(), person));
    const own = new PlainBrowser();
    const callback = new URL(await toCallback(world, own, newPerson()));
    callback.searchParams.set('code', foreign.searchParams.get('code')!);
    expect(await own.visit(callback.href)).toMatchObject(refused('failed'));
  });

  it.each([
    ['of a foreign issuer', 'iss', 'https://evil.example'],
    ['without an issuer, although the provider sends it', 'iss', undefined],
    ['without a code', 'code', undefined],
  ])('%s', async (_, name, value) => {
    const { person } = await newMember(world, admin);
    const browser = new PlainBrowser();
    const callback = new URL(await toCallback(world, browser, person));
    expect(callback.searchParams.get(name)).not.toBeNull();
    if (value === undefined) callback.searchParams.delete(name);
    else callback.searchParams.set(name, value);
    expect(await browser.visit(callback.href)).toMatchObject(refused('failed'));
  });

  it('is of a user who denied consent', async () => {
    expect(await passProvider(world, new PlainBrowser(), undefined)).toMatchObject(refused('denied'));
  });

  it('was not requested', async () => {
    for (const query of ['', '?code=1&state=2', '?error=access_denied', '?state=', `?state=${'x'.repeat(5000)}`]) {
      expect(await new PlainBrowser().visit(`${world.page}${CALLBACK}${query}`)).toMatchObject(refused('expired'));
    }
  });

  it('is of a disabled account', async () => {
    const other = await newAdmin(world);
    const { person } = await newMember(world, other);
    const { ports, keys } = world.service;
    const { disableAccount } = await import('#lib/access/change-account.ts');
    await disableAccount({ ports, keys, tenant: other.id, origin: 'operator' });
    expect(await passProvider(world, new PlainBrowser(), person)).toMatchObject(refused('account_disabled'));
  });
});

describe('a provider that is not trusted', () => {
  const hour = 3600;
  const faults: [string, Fault][] = [
    ['whose ID token has another nonce', { idToken: (claims) => ({ ...claims, nonce: 'another' }) }],
    ['whose ID token has no nonce', { idToken: ({ nonce: _, ...claims }) => claims }],
    ['whose ID token is for another audience', { idToken: (claims) => ({ ...claims, aud: 'another' }) }],
    ['whose ID token is of another issuer', { idToken: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['whose ID token has expired', { idToken: (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - hour }) }],
    ['whose ID token is signed by another key', { foreignKey: true }],
    ['whose UserInfo is of another subject', { userInfo: (claims) => ({ ...claims, sub: 'another' }) }],
  ];

  it.each(faults)('is one %s', async (_, fault) => {
    const person = newPerson();
    await invited(admin, person.email!);
    world.provider.fault = fault;
    expect(await passProvider(world, new PlainBrowser(), person)).toMatchObject(refused('failed'));
    world.provider.fault = {};
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe('/');
  });

  it('is one whose discovery document names another issuer, even if only a final slash differs', async () => {
    for (const issuer of [`${world.provider.issuer}/`, 'https://evil.example', '{tenantid}']) {
      world.provider.fault = { discovery: (document) => ({ ...document, issuer }) };
      const response = await begin(new PlainBrowser());
      expect(response).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      expect(response.body.error).toContain(`OIDC_ISSUER must equal the issuer of its discovery document: ${issuer}`);
    }
  });
});

it('leaves no secret of a sign-in in a log line or the store', async () => {
  const browser = new PlainBrowser();
  const person = newPerson();
  const token = await invited(admin, 'planted@example.com');
  const callback = await toCallback(world, browser, person, { token });
  const { port } = new URL(world.page);
  const cookie = browser.cookies(world.page)[`fleetwatch_oidc_${port}`]!;
  const onDisk = () => readdirSync(dir).map((file) => readFileSync(join(dir, file)));
  const pending = onDisk();
  await browser.visit(callback);
  const session = browser.cookies(world.page)[`fleetwatch_session_${port}`]!;
  world.provider.fault = { echo: true };
  const failingCallback = await toCallback(world, browser, person);
  const lastCookie = browser.cookies(world.page)[`fleetwatch_oidc_${port}`]!;
  const echoed = await browser.visit(failingCallback);
  expect(echoed).toMatchObject(refused('failed'));

  const { flowSecrets } = await import('#lib/identity/oidc/request.ts');
  const flows = [cookie, lastCookie].flatMap((one) => [one, ...Object.values(flowSecrets(one))]);
  const codes = [callback, failingCallback].map((url) => new URL(url).searchParams.get('code')!);
  const secrets = [...flows, ...codes, ...world.provider.given, world.provider.clientSecret, token, session];
  expect(secrets.length).toBeGreaterThan(20);
  const lines = JSON.stringify(world.log.lines);
  expect(lines).toContain('invalid_grant: you sent');
  const files = [...pending, ...onDisk()];
  for (const secret of secrets) {
    for (const write of Object.values(ENCODINGS)) {
      expect(lines.includes(write(secret)), `a log line holds ${write(secret)}`).toBe(false);
      expect(
        files.some((bytes) => bytes.includes(write(secret))),
        `a file holds ${write(secret)}`,
      ).toBe(false);
    }
  }
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});
