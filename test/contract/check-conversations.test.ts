import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '#test/support/certificates.ts';
import { type Client, clientOf, failure, keyOf, newTenant } from '#test/support/client.ts';
import { dialogueTarget } from '#test/support/dialogue-target.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';
import { blockedUrls, publicOnly } from '#test/support/ssrf-vectors.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const GREETS = {
  greeting: '220 mx\r\n',
  answers: { 'AUTH hush-hush': '535 no hush-hush here\r\n', NOOP: '250 OK\r\n' },
};
const steps = [{ expect: '220' }, { send: 'NOOP\r\n' }, { expect: '250' }];

describe('a tcp check with steps', () => {
  it('is probed step by step; its result names the failed step', async () => {
    await using mail = await dialogueTarget(GREETS);
    const { host, port } = mail;
    const lastOf = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200).last_result;
    const well = await newCheck(client, { check_type: 'tcp', config: { host, port, steps } });
    expect(await eventually(() => lastOf(well.id))).toMatchObject({ success: true, error_kind: null });
    const other = [...steps, { send: 'AUTH hush-hush\r\n' }, { expect: '235' }];
    const ill = await newCheck(client, {
      check_type: 'tcp',
      interval_seconds: 2,
      timeout_ms: 1_000,
      config: { host, port, steps: other },
    });
    expect(await eventually(() => lastOf(ill.id))).toMatchObject({
      success: false,
      error_kind: 'protocol',
      error_message:
        'step 5: expected the answer to contain "235", got " OK\\r\\n535 no ******** here\\r\\n" (28 bytes)',
    });
  });

  it('shows the transcript in a settings test', async () => {
    await using mail = await dialogueTarget(GREETS);
    const { host, port } = mail;
    const found = got(await client.post('/v1/checks/test', { check_type: 'tcp', config: { host, port, steps } }), 200);
    expect(found).toMatchObject({ success: true, transcript: ['"220"', '" mx\\r\\n250"'] });
  });

  it('switches to TLS at the starttls step', async () => {
    const certificate = await selfSigned(['127.77.0.1']);
    const answers = { STLS: '+OK go\r\n' };
    await using mail = await dialogueTarget({ greeting: '+OK\r\n', answers, tlsAfter: 'STLS', certificate });
    const { host, port } = mail;
    const talk = [{ expect: '+OK' }, { send: 'STLS\r\n' }, { expect: '+OK' }, { starttls: true }, { expect: 'within' }];
    const test = async (body: object) => got(await client.post('/v1/checks/test', body), 200);
    expect(await test({ check_type: 'tcp', config: { host, port, verify_tls: false, steps: talk } })).toMatchObject({
      success: true,
    });
    expect(await test({ check_type: 'tls', config: { host, port, starttls: 'pop3' } })).toMatchObject({
      error_kind: 'tls',
      error_message: 'certificate is self-signed: no authority vouches for it',
      transcript: ['"+OK\\r\\n"', '"+OK go\\r\\n"'],
    });
  });

  it('hides its sends from read-only keys, in records and in the audit log', async () => {
    const config = { host: '127.77.0.1', port: 9, steps: [{ send: 'AUTH s3cret-word\r\n' }, { expect: '+OK' }] };
    const { id } = await newCheck(client, { check_type: 'tcp', enabled: false, config });
    const reader = await keyOf(client, { is_read_only: true });
    const read = await reader.get(`/v1/checks/${id}`);
    expect(got(read, 200).config.steps).toEqual([{ send: '********' }, { expect: '+OK' }]);
    expect(got(await client.get(`/v1/checks/${id}`), 200).config).toEqual(config);
    const entries = JSON.stringify((await client.get('/v1/audit')).body);
    expect(entries).toContain(id);
    expect(entries).not.toContain('s3cret-word');
  });

  it.each([
    ['steps that are not a list', { steps: { send: 'a' } }, 'config.steps'],
    ['eleven steps', { steps: Array(11).fill({ expect: 'a' }) }, 'config.steps'],
    ['a step that does nothing', { steps: [{}] }, 'config.steps.0'],
    ['a step that does two things', { steps: [{ send: 'a', expect: 'b' }] }, 'config.steps.0'],
    ['a step with an unknown property', { steps: [{ expect: 'a', recv: 'b' }] }, 'config.steps.0.recv'],
    ['a text with characters that are not bytes', { steps: [{ expect: '€' }] }, 'config.steps.0.expect'],
    [
      'an expression that RE2 does not support',
      { steps: [{ expect: 'a' }, { matches: 'a(?=b)' }] },
      'config.steps.1.matches',
    ],
    ['an expression of 257 characters', { steps: [{ matches: 'x'.repeat(257) }] }, 'config.steps.0.matches'],
    ['TLS twice', { steps: [{ starttls: true }, { starttls: true }] }, 'config.steps.1.starttls'],
    ['TLS within TLS', { tls: true, steps: [{ starttls: true }] }, 'config.steps.0.starttls'],
    ['a servername with a blank', { tls: true, servername: 'a b' }, 'config.servername'],
    ['more than 8 KB', { steps: Array(3).fill({ send: 'x'.repeat(4000) }) }, 'config'],
  ])('is rejected with %s', async (_what, config, path) => {
    const body = { check_type: 'tcp', config: { host: '127.77.0.1', port: 9, ...config } };
    expect(await client.post('/v1/checks/test', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});

describe('a deployment on AWS, where port 25 is blocked', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { SMTP_EGRESS: 'closed' } });
  });
  afterAll(() => service.stop());

  it('rejects a check of port 25', async () => {
    const blocked = clientOf(service.url, service.adminKey);
    for (const check_type of ['tcp', 'tls']) {
      const response = await blocked.post('/v1/checks/test', {
        check_type,
        config: { host: 'mail.example.com', port: 25 },
      });
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'config.port'));
      expect(response.body.error).toBe(
        'config.port: the network of the service blocks port 25 (SMTP_EGRESS); use 587 or 465',
      );
    }
  });
});

describe('a service restricted to public addresses', () => {
  const restricted = publicOnly();
  const vectors = blockedUrls.flatMap(({ url, why }) => {
    const host = URL.parse(url)?.hostname;
    return host ? [{ host, why }] : [];
  });

  it('has vectors to test', () => expect(vectors.length).toBeGreaterThan(30));

  it.each(vectors)('sends nothing to $host: $why', async ({ host }) => {
    for (const config of [
      { host, port: 6379, steps: [{ send: 'FLUSHALL\r\n' }, { expect: '+OK' }] },
      { host, port: 6379, tls: true },
    ]) {
      const response = await restricted().post('/v1/checks/test', { check_type: 'tcp', config, timeout_ms: 1_000 });
      if (response.status === 400) continue;
      expect(response).toMatchObject({ status: 200, body: { success: false } });
      expect(response.body.error_kind).toBeOneOf(['egress', 'dns', 'timeout']);
      expect(response.body).not.toHaveProperty('transcript');
    }
  });
});
