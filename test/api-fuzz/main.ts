import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WALK_SETTINGS, walk } from '#infra/docs/example-requests.ts';
import type { PathIds } from '#infra/docs/example-steps.ts';
import { documentOf } from '#infra/docs/generate.ts';
import { endpointOf } from '#infra/docs/openapi.ts';
import { fakeNet } from '#infra/docs/record.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { makeLog } from '#lib/platform/log.ts';
import { startService, tenantOf } from '#test/support/service.ts';
import { allowNulls } from './allow-nulls.ts';
import { installSchemathesis } from './install.ts';

/**
 * `npm run test:nightly -- api-fuzz [--seed N]`: thousands of valid and invalid calls that schemathesis generates from
 * the API document, against a whole service in this process. An operation passes if no response is a 5xx, violates its
 * schema, has an undocumented status, or is a success for an invalid call.
 */

const CASES_AN_OPERATION = 10;
const MIN_CASES = 2000;

/** Checks of schemathesis that are disabled, each with its reason. */
const OFF = {
  positive_data_acceptance:
    'a body that matches the schema can still be rejected with 400 by rules that JSON Schema cannot state: a URL must be valid ' +
    'and public; a cursor must be from the same list; properties must match; the identity of a record cannot change',
  ensure_resource_availability:
    'a check, a channel or a relation is deleted with its entity; the tool assumes that it still exists',
};

/** The part of the report of schemathesis that is read. */
type Report = {
  test_cases: { generated: number; with_failures: number; errored: number };
  operations: { selected: number; tested: number; errored: number };
  failures: { title: string; operations: string[] }[];
  errors: { title: string; count: number }[];
};

const cache = join(import.meta.dirname, '../../.cache');
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const { argv, env } = process;
  const seed = (argv.includes('--seed') && argv[argv.indexOf('--seed') + 1]) || '1';
  const st = await installSchemathesis(join(cache, 'schemathesis'));
  if (st === undefined) {
    const missing = 'Python 3 with venv is missing; schemathesis requires it';
    say(
      env.CI === 'true'
        ? `failed: ${missing}\n0 passed, 1 failed`
        : `skipped: ${missing}\n0 passed, 0 failed, 1 skipped`,
    );
    return env.CI !== 'true';
  }
  for (const [check, reason] of Object.entries(OFF)) say(`not checked: ${check}, because ${reason}`);

  const service = await startService({
    env: WALK_SETTINGS,
    world: { net: fakeNet },
    log: makeLog('error'),
  });
  try {
    const { key } = await tenantOf(service);
    const call = callWith(service.url, key);
    const pathIds: PathIds = await walk(allRoutes.map(endpointOf), (endpoint, path, body, headers) =>
      call(endpoint.split(' ')[0]!, path, body, headers),
    );
    const { body: own } = await call('GET', '/v1/me');
    const report = await fuzz(st, {
      url: service.url,
      key,
      seed,
      env: {
        FUZZ_PATH_IDS: JSON.stringify(pathIds),
        FUZZ_OWN: JSON.stringify([own.user.id, own.key.id]),
        FUZZ_SEED: seed,
      },
    });
    await call('GET', '/v1/me');
    return printOutcome(report);
  } finally {
    await service.stop();
  }
}

const callWith =
  (url: string, key: string) =>
  async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const isJson = response.headers.get('content-type')?.includes('json');
    return { body: isJson ? JSON.parse(text) : text, cookies: response.headers.getSetCookie() };
  };

type Run = { url: string; key: string; seed: string; env: Record<string, string> };

async function fuzz(st: string, { url, key, seed, env }: Run): Promise<Report> {
  mkdirSync(cache, { recursive: true });
  const [document, report] = [join(cache, 'openapi-strict.json'), join(cache, 'api-fuzz.json')];
  writeFileSync(document, JSON.stringify(allowNulls(documentOf({ strict: true }))));
  rmSync(report, { force: true });
  const words = [
    ...['run', document, '--url', url, '--header', `Authorization: Bearer ${key}`, '--seed', seed],
    ...['--max-examples', String(CASES_AN_OPERATION), '--continue-on-failure', '--warnings', 'off'],
    ...['--generation-database', 'none'],
    ...['--exclude-checks', Object.keys(OFF).join(','), '--report', 'json', '--report-json-path', report],
  ];
  const child = spawn(st, words, {
    cwd: cache,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      ...env,
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

/** Prints the outcome. @returns whether everything passed */
function printOutcome({ test_cases, operations, failures, errors }: Report): boolean {
  const failed = new Set(failures.flatMap((failure) => failure.operations)).size;
  const problems = [
    ...errors.map(({ title, count }) => `${title} (${count})`),
    ...(operations.tested < operations.selected ? [`${operations.selected - operations.tested} not tested`] : []),
    ...(test_cases.generated < MIN_CASES ? [`fewer than ${MIN_CASES} calls`] : []),
  ];
  say(`${test_cases.generated} calls of ${operations.tested} operations${problems.map((one) => `; ${one}`).join('')}`);
  say(`${operations.tested - failed} passed, ${failed + problems.length} failed`);
  return failed + problems.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
