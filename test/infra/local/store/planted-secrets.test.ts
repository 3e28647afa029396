import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { ENCODINGS } from '#test/support/encodings.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { memoryLog } from '#test/support/log.ts';
import { type Page, pageAt, tokenOf } from '#test/support/page.ts';
import { type Service, startService, tenantOf } from '#test/support/service.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const log = memoryLog();
let dir: string;
let service: Service;
let isStopped = false;
/** Receivers over http and https; each sends the response that the test sets. */
let echo: WebhookReceiver;
let secureEcho: WebhookReceiver;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fleetwatch-secrets-'));
  service = await startService({ dir, log });
  echo = await startReceiver({ host: '127.77.0.1' });
  secureEcho = await startReceiver({ tls: true });
});
afterAll(async () => {
  await echo.close();
  await secureEcho.close();
  if (!isStopped) await service.stop();
  rmSync(dir, { recursive: true, force: true });
});

const LETTERS = [...'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'];
const secretOf = (units: string[]) =>
  fc.array(fc.constantFrom(...units), { minLength: 12, maxLength: 32 }).map((characters) => characters.join(''));
const visible = secretOf([...LETTERS, ...`+/=&<>"'%.*?()[]{}|^$\\-_~`]);
const plain = secretOf(LETTERS);
const planted = fc.record({
  bearer: visible,
  apiKey: visible,
  password: visible.map((text) => `p${text.replaceAll(':', '.')}`),
  checkHeader: visible,
  checkBody: plain,
  slackPath: visible,
  webhookSecret: visible,
  ntfyToken: visible,
  subject: plain,
});
type Planted = typeof planted extends fc.Arbitrary<infer T> ? T : never;

const encodings = Object.values(ENCODINGS);
/** Returns one text per encoding, each with all secrets. */
const inEveryEncoding = (secrets: string[]): string[] => encodings.map((write) => secrets.map(write).join(' and '));

/** Returns all names and texts of a response. Unless `withConfig`, it skips `config` properties. */
function textsOf(value: unknown, withConfig: boolean): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'config' && !withConfig ? [] : [name, ...textsOf(member, withConfig)],
  );
}

function assertNoSecrets(place: string, texts: string[], secrets: string[]): void {
  for (const secret of secrets) {
    for (const written of [...encodings.map((write) => write(secret)), secret.slice(0, 12)]) {
      const isThere = texts.some((text) => text.includes(written));
      expect(isThere, `${place} contains ${secret}, written ${written}`).toBe(false);
    }
  }
}

async function plant(admin: Client, secrets: Planted) {
  const basic = Buffer.from(`ops:${secrets.password}`).toString('base64');
  const action = {
    name: 'Deploy',
    url: `${echo.url}/hook`,
    trigger_type: 'manual',
    headers: { Authorization: `Bearer ${secrets.bearer}`, 'X-Api-Key': secrets.apiKey, 'X-Proxy': `Basic ${basic}` },
  };
  const { id: actionId } = got(await admin.post('/v1/actions', action), 201);
  const place = ['percent-encoded', 'in base64url', 'in hex']
    .flatMap((way) => [secrets.checkHeader, secrets.checkBody].map(ENCODINGS[way]!))
    .join('/');
  echo.behave({ status: 302, headers: { location: `/../${place}` } });
  const probed = await newCheck(admin, {
    check_type: 'http',
    method: 'PUT',
    target_url: `${echo.url}/health`,
    interval_seconds: 3600,
    config: { headers: { 'X-Token': secrets.checkHeader }, body: `{"password": "${secrets.checkBody}"}` },
  });
  await eventually(async () => got(await admin.get(`/v1/checks/${probed.id}/results`), 200).results.length > 0);

  const pushed = await newCheck(admin, { interval_seconds: 3600, failure_threshold: 1 });
  const channels = [
    { channel_type: 'slack', config: { url: `${echo.url}/hooks/${encodeURIComponent(secrets.slackPath)}` } },
    { channel_type: 'webhook', config: { url: `${secureEcho.url}/in`, secret: secrets.webhookSecret } },
    { channel_type: 'ntfy', config: { url: `${echo.url}/topic`, token: secrets.ntfyToken } },
    { channel_type: 'nats', config: { subject: `alerts.${secrets.subject}` } },
  ];
  const channelIds: string[] = [];
  for (const channel of channels) {
    channelIds.push(got(await admin.post(`/v1/checks/${pushed.id}/policy/channels`, channel), 201).id);
  }
  return { actionId, probed: probed.id, pushed: pushed.id, channelIds };
}

/** Signs in by link, key and invitation; also tries used, replaced and invalid ones. @returns all secrets */
async function signIn(admin: Client, key: string): Promise<{ secrets: string[] }> {
  const { user } = got(await admin.get('/v1/me'), 200);
  const link = async () => tokenOf(got(await admin.post(`/v1/settings/users/${user.id}/sign-in-link`), 201).url);
  const [replaced, used] = [await link(), await link()];
  const secrets = [replaced, used];
  const pages: Page[] = [];
  const take = async (path: string, body: unknown) => {
    const page = pageAt(service.url);
    const { status } = await page.post(path, body);
    pages.push(page);
    secrets.push(...page.cookies.values());
    return status;
  };
  expect(await take('/v1/sign-in/link', { token: used })).toBe(201);
  for (const token of [used, replaced]) expect(await take('/v1/sign-in/link', { token })).toBe(401);
  secrets.push(await link());
  expect(await take('/v1/sign-in/key', { key })).toBe(201);
  expect(await take('/v1/sign-in/key', { key: `${key}x` })).toBe(401);
  const invited = got(await admin.post('/v1/settings/users/invite', { email: 's@x.test', role: 'viewer' }), 201);
  secrets.push(invited.invite_token);
  const acceptance = { token: invited.invite_token, name: 'S', key: false, session: true };
  expect(await take('/v1/invitations/accept', acceptance)).toBe(201);
  for (const page of pages) {
    await page.get('/v1/sessions');
    // The service rejects and logs this request.
    await page.send('DELETE', '/v1/sessions', { headers: { origin: 'https://evil.example' } });
  }
  await pages[0]!.del('/v1/session');
  return { secrets };
}

it('never reveals a secret in a response, log line or event, and erases deleted ones from all files', async () => {
  const all: string[] = [];
  await fc.assert(
    fc.asyncProperty(planted, async (secrets) => {
      const tenant = await tenantOf(service);
      const admin = clientOf(service.url, tenant.key);
      const invited = got(await admin.post('/v1/settings/users/invite', { email: 'm@x.test', role: 'member' }), 201);
      const accepted = await admin.post('/v1/invitations/accept', { token: invited.invite_token, name: 'M' });
      const member = clientOf(service.url, got(accepted, 201).key);
      const made = got(await admin.post('/v1/auth/keys', { label: 'reader', is_read_only: true }), 201);
      const reader = clientOf(service.url, made.key);
      const signedIn = await signIn(admin, member.key);
      const values = [
        ...Object.values(secrets),
        tenant.key,
        member.key,
        reader.key,
        invited.invite_token,
        ...signedIn.secrets,
      ];
      all.push(...values);
      const { actionId, probed, pushed, channelIds } = await plant(admin, secrets);
      const answers: unknown[] = [];
      const ask = async (client: Client, method: 'POST' | 'DELETE', path: string, body?: unknown) => {
        const answer = await client.send(method, path, { body });
        expect(answer.status, path).toBeLessThan(300);
        answers.push(answer.body);
        return answer.body;
      };

      const { bearer, apiKey, password, slackPath, webhookSecret, ntfyToken, subject } = secrets;
      const header = [bearer, apiKey, password, `ops:${password}`];
      for (const body of inEveryEncoding(header)) {
        echo.behave({ status: 500, body });
        const { id } = await ask(member, 'POST', `/v1/actions/${actionId}/run`);
        await ask(member, 'POST', `/v1/actions/executions/${id}/events`, { logs: [body, `env ${body}`] });
      }
      for (const [i, secret] of [slackPath, webhookSecret, ntfyToken, subject].entries()) {
        for (const body of inEveryEncoding([secret])) {
          for (const receiver of [echo, secureEcho]) receiver.behave({ status: 404, body });
          await ask(member, 'POST', `/v1/checks/${pushed}/policy/channels/${channelIds[i]}/test`);
        }
      }
      for (const receiver of [echo, secureEcho]) receiver.behave({ status: 200 });
      await ask(member, 'POST', `/v1/checks/${pushed}/results`, { success: false, latency_ms: 1 });
      await eventually(() => service.ports.bus.recent.some(({ detail }) => JSON.stringify(detail).includes(pushed)));

      const paths = [
        '/v1/me',
        '/v1/actions',
        `/v1/actions/${actionId}`,
        `/v1/actions/${actionId}/executions`,
        '/v1/checks',
        ...[probed, pushed].flatMap((id) =>
          ['', '/results', '/gaps', '/transitions', '/policy', '/policy/channels'].map((of) => `/v1/checks/${id}${of}`),
        ),
        '/v1/transitions',
        '/v1/notify/logs',
        '/v1/notify/channels',
        '/v1/status',
        '/v1/settings/users',
        '/v1/health',
      ];
      for (const client of [admin, member, reader]) {
        const executions = got(await client.get(`/v1/actions/${actionId}/executions`), 200);
        const logs = executions.map(({ id }: { id: string }) => `/v1/actions/executions/${id}/logs`);
        for (const path of [...paths, ...logs, ...(client === reader ? [] : ['/v1/auth/keys'])]) {
          const { body } = await client.get(path);
          // Only `config` of a check or a channel may contain secrets, and only for keys that are not read-only.
          assertNoSecrets(`GET ${path}`, textsOf(body, client === reader), values);
        }
      }
      for (const answer of answers) assertNoSecrets('an answer', textsOf(answer, false), values);

      for (const id of channelIds) await ask(admin, 'DELETE', `/v1/checks/${pushed}/policy/channels/${id}`);
      for (const id of [probed, pushed]) await ask(admin, 'DELETE', `/v1/checks/${id}`);
      await ask(admin, 'DELETE', `/v1/actions/${actionId}`);
    }),
    { numRuns: 4, endOnFailure: true },
  );

  assertNoSecrets(
    'the log',
    log.lines.flatMap(({ message, fields }) => [message, ...textsOf(fields, true)]),
    all,
  );
  assertNoSecrets('the bus', textsOf(service.ports.bus.recent, true), all);
  isStopped = await service.stop();
  for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const bytes = readFileSync(join(dir, file)).toString('latin1');
    assertNoSecrets(file, [bytes], all);
  }
}, 120_000);
