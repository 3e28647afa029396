import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '#test/support/find-program.ts';
import { got, newBlueprint, newCheck } from '#test/support/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';

/**
 * Runs clients of the Healthchecks pinging API, unchanged except for base URL and keys, against a service. They follow
 * https://healthchecks.io/docs/http_api/.
 */

const run = promisify(execFile);
const PYTHON = join(import.meta.dirname, '../../../.cache/ping-clients/bin/python');

/**
 * Programs that this machine may lack. To install the Python clients: `python3 -m venv .cache/ping-clients &&
 * .cache/ping-clients/bin/pip install -r test/infra/ping-clients/python.txt`.
 */
const INSTALLED = {
  curl: findProgram('curl') !== undefined,
  wget: findProgram('wget') !== undefined,
  runitor: findProgram('runitor') !== undefined,
  python: existsSync(PYTHON),
};
/** Whether a program is installed. In CI only runitor can be missing. */
const isInstalled = (what: keyof typeof INSTALLED): boolean => {
  if (process.env.CI && what !== 'runitor' && !INSTALLED[what])
    throw new Error(`${what} is missing; run .ci/peers to install it.`);
  return INSTALLED[what];
};

let service: RealService;
/** Push check with a slug. */
let job: { id: string; ping_url: string };
/** Ping key that can create checks. */
let key: string;
beforeAll(async () => {
  service = await startRealService();
  job = await newCheck(service.client, { slug: 'nightly-backup', interval_seconds: 86_400, failure_threshold: 1 });
  const blueprint_slug = await newBlueprint(service.client);
  key = got(await service.client.post('/v1/ping-keys', { label: 'all', blueprint_slug }), 201).key;
});
afterAll(() => service?.[Symbol.asyncDispose]());

type Ping = { kind: string; exit_status: number | null; method: string; rid: string | null; body_bytes: number };
const newest = async (): Promise<Ping> =>
  got(await service.client.get(`/v1/checks/${job.id}/pings?limit=1`), 200).pings[0];
const pingUrls = () => ({ uuid: job.ping_url, slug: `${new URL(job.ping_url).origin}/ping/${key}/nightly-backup` });

/** Endpoints of the Healthchecks page in order, and differences of this service. */
const ENDPOINTS = [
  { name: 'success', path: '', kind: 'success', exit_status: null, differs: 'nothing' },
  {
    name: 'start',
    path: '/start',
    kind: 'start',
    exit_status: null,
    differs: 'ten open runs are watched, not only the newest',
  },
  { name: 'failure', path: '/fail', kind: 'fail', exit_status: null, differs: 'nothing' },
  { name: 'log', path: '/log', kind: 'log', exit_status: null, differs: 'nothing' },
  { name: 'exit status 0', path: '/0', kind: 'success', exit_status: 0, differs: 'nothing' },
  { name: 'exit status 3', path: '/3', kind: 'fail', exit_status: 3, differs: 'nothing' },
] as const;

/** Further rules of the page for all endpoints, and differences of this service. */
const OTHER_RULES = [
  ['HEAD, GET and POST', 'nothing'],
  ['?rid=', 'a repeated one is rejected; at Healthchecks the last counts'],
  ['?create=1 of a slug', 'only by a ping key that names a blueprint'],
  ['200 OK', 'nothing'],
  ['201 Created', 'nothing'],
  ['200 OK (not found)', '404 not found, always'],
  ['200 OK (rate limited)', '429 rate limited: only pings with 2xx are kept'],
  ['400 invalid url format', 'nothing'],
  ['404 not found', 'nothing'],
  ['409 ambiguous slug', 'a slug is unique: 409 says that it is not a push check, or why none can be created'],
  ['Ping-Body-Limit', '10000; 100000 at Healthchecks'],
  ['Access-Control-Allow-Origin: *', 'nothing'],
] as const;

it('lists the differences from Healthchecks by endpoint', () => {
  expect(ENDPOINTS.map(({ name }) => name)).toHaveLength(6);
  expect(OTHER_RULES.filter(([, differs]) => differs !== 'nothing')).toHaveLength(6);
});

describe.each(['uuid', 'slug'] as const)('by %s', (by) => {
  describe.each(ENDPOINTS)('$name', ({ path, kind, exit_status }) => {
    it.skipIf(!isInstalled('curl'))('accepts curl with GET, HEAD and POST', async () => {
      const url = pingUrls()[by] + path;
      const { stdout } = await run('curl', ['-fsS', '-m', '10', '--retry', '5', url]);
      expect(stdout).toBe('OK');
      expect(await newest()).toMatchObject({ kind, exit_status, method: 'GET', body_bytes: 0 });
      const head = await run('curl', ['-fsS', '-m', '10', '--head', url]);
      expect(head.stdout).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(head.stdout.toLowerCase()).toContain('\r\nping-body-limit: 10000\r\n');
      expect(await newest()).toMatchObject({ kind, method: 'HEAD' });
      await run('curl', ['-fsS', '-m', '10', '--retry', '5', '--data-raw', 'copied 3 tables', url]);
      expect(await newest()).toMatchObject({ kind, exit_status, method: 'POST', body_bytes: 15 });
    });

    it.skipIf(!isInstalled('wget'))('accepts wget', async () => {
      const { stdout } = await run('wget', ['-q', '-T', '10', '-t', '5', '-O', '-', pingUrls()[by] + path]);
      expect(stdout).toBe('OK');
      await run('wget', ['-q', '-O', '-', '--post-data=x', `${pingUrls()[by]}${path}?rid=${randomUUID()}`]);
      expect(await newest()).toMatchObject({ kind, method: 'POST', rid: expect.any(String), body_bytes: 1 });
    });
  });
});

it.skipIf(!isInstalled('curl'))('creates the check of a slug, and makes curl fail for an unknown URL', async () => {
  const base = `${new URL(job.ping_url).origin}/ping`;
  const create = ['-sS', '-w', ' %{http_code}', `${base}/${key}/weekly-report?create=1`];
  expect((await run('curl', create)).stdout).toBe('Created 201');
  expect((await run('curl', create)).stdout).toBe('OK 200');
  await expect(run('curl', ['-fsS', `${base}/${randomUUID()}`])).rejects.toThrow(/404/);
});

it.skipIf(!isInstalled('python'))('accepts healthchecks-io, requests, and an imitation of runitor', async () => {
  const base = `${new URL(job.ping_url).origin}/ping/`;
  const uuid = job.ping_url.slice(job.ping_url.lastIndexOf('/') + 1);
  const child = execFile(PYTHON, [join(import.meta.dirname, 'clients.py')], { timeout: 50_000 });
  const at = { base, uuid, key, slug: 'nightly-backup', made: 'made-by-runitor', unknown: randomUUID() };
  child.stdin!.end(JSON.stringify(at));
  const [out, errors] = await Promise.all([child.stdout, child.stderr].map((stream) => stream!.toArray()));
  const said = JSON.parse(out!.join('') || `"${errors!.join('')}"`);
  const ok = [true, 'OK'];
  const plain = [200, 'OK', '10000'];
  expect(said).toEqual({
    ...Object.fromEntries(
      ['start', 'success', 'fail', 'exit'].flatMap((what) => [
        [`healthchecks-io ${what} uuid`, ok],
        [`healthchecks-io ${what} slug`, ok],
      ]),
    ),
    'healthchecks-io unknown uuid': 'CheckNotFoundError',
    'healthchecks-io unknown slug': 'CheckNotFoundError',
    'requests get': [200],
    'requests post': ['OK'],
    'runitor start': plain,
    'runitor success': plain,
    'runitor fail': plain,
    'runitor log': plain,
    'runitor exit': plain,
    'runitor create': [201, 'Created', '10000'],
    'runitor created': plain,
    'runitor unknown': [404, 'not found', '10000'],
  });
});

it.skipIf(!isInstalled('runitor'))('accepts runitor', async () => {
  const { origin, pathname } = new URL(job.ping_url);
  const uuid = pathname.slice('/ping/'.length);
  const args = ['-api-url', `${origin}/ping`, '-uuid', uuid, '--', 'sh', '-c', 'echo done; exit 4'];
  await run('runitor', args).catch(() => undefined);
  expect(await newest()).toMatchObject({ kind: 'fail', exit_status: 4 });
});
