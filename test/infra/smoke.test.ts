import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { runCommand } from '#test/support/command.ts';
import { type Service, startService, tenantOf } from '#test/support/service.ts';
import { httpTarget } from '#test/support/socket-target.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = clientOf(service.url, (await tenantOf(service)).key);
});
afterAll(() => service.stop());

const smoke = (args: string[], env?: Record<string, string>) => runCommand('infra/smoke/main.ts', args, env);

const resultsOf = (out: string) =>
  Object.fromEntries([...out.matchAll(/^(ok|FAIL) +(\S.{0,13}?) {2,}/gm)].map(([, result, name]) => [name, result]));

const ALL = [
  'health',
  'account',
  'entity',
  'check',
  'heartbeat',
  'alert',
  'status page',
  'MCP by POST',
  'MCP by stream',
  'clean-up',
];

/** Returns the records of a tenant, of the kinds that the smoke test creates, without their history. */
const belongings = async (one: Client) => ({
  blueprints: (await one.get('/v1/blueprints')).body,
  checks: (await one.get('/v1/checks')).body,
  pages: (await one.get('/v1/status-pages')).body,
  keys: (await one.get('/v1/auth/keys')).body.map(({ id }: { id: string }) => id),
});

it('tests a service from its account to a delivered alert and deletes what it created', async () => {
  const before = await belongings(client);
  const { code, out } = await smoke([service.url], { KEY: client.key });
  expect(resultsOf(out)).toEqual(Object.fromEntries(ALL.map((name) => [name, 'ok'])));
  expect(out).toMatch(/^10 passed, 0 failed$/m);
  expect(code).toBe(0);
  expect(await belongings(client)).toEqual(before);
  expect(out).not.toContain(client.key);
});

it('names the failed step and the reason, runs the independent steps and cleans up', async () => {
  await using broken = await httpTarget((_request, response) => void response.writeHead(500).end());
  const before = await belongings(client);
  const { code, out } = await smoke([`${service.url}/`, client.key, '--target', broken.url, '--no-stream']);
  expect(code).toBe(1);
  expect(resultsOf(out)).toEqual({
    ...Object.fromEntries(ALL.map((name) => [name, 'ok'])),
    check: 'FAIL',
    alert: 'FAIL',
  });
  expect(out).toMatch(/^FAIL +check .*expected status 200, got 500/m);
  expect(out).toMatch(/^FAIL +alert .*"check" failed/m);
  expect(await belongings(client)).toEqual(before);
});

it('fails when an alert does not arrive', async () => {
  await using rejecting = await httpTarget((_request, response) => void response.writeHead(410).end());
  const { code, out } = await smoke([service.url, client.key, '--receiver', `${rejecting.url}/ops`, '--no-stream']);
  expect(code).toBe(1);
  expect(out).toMatch(/^FAIL +alert .*did not accept.*410/m);
});

it('fails with an invalid key and without a response', async () => {
  const invalid = await smoke([service.url, 'fw_wrong']);
  expect(invalid.code).toBe(1);
  expect(invalid.out).toMatch(/^FAIL +account .*401.*unknown/m);
  const gone = await httpTarget(() => {});
  await gone[Symbol.asyncDispose]();
  const unreachable = await smoke([gone.url, client.key]);
  expect(unreachable.code).toBe(1);
  expect(unreachable.out).toMatch(/^FAIL +health .*ECONNREFUSED/m);
});

it.each([
  [[], 'Give the URL'],
  [['http://127.0.0.1:9'], 'a key'],
  [['127.0.0.1', 'k'], 'must be an http or https URL'],
  [['http://127.0.0.1:9', 'k', '--patience', 'long'], '--patience'],
  [['http://127.0.0.1:9', 'k', '--quick'], '--quick'],
])('rejects %j with a sentence', async (args, sentence) => {
  const { code, err } = await smoke(args);
  expect(code).toBe(2);
  expect(err).toContain(sentence);
});
