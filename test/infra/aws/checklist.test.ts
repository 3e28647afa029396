import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, clientOf } from '#test/support/client.ts';
import { runCommand } from '#test/support/command.ts';
import { type Service, startService, tenantOf } from '#test/support/service.ts';
import { httpTarget, rawTarget } from '#test/support/socket-target.ts';

let service: Service;
let client: Client;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fleetwatch-checklist-'));
  service = await startService();
  client = clientOf(service.url, (await tenantOf(service)).key);
});
afterAll(async () => {
  await service.stop();
  rmSync(dir, { recursive: true });
});

const checklist = (args: string[], env?: Record<string, string>) =>
  runCommand('infra/aws/checklist/main.ts', args, env);

const addresses = () => ['--api-url', service.url, '--stream-url', service.url, '--no-cdn'];

it('compares each result with its threshold and deletes what it created', async () => {
  await using peer = await httpTarget(() => {});
  const hosts = ['--ipv6-host', peer.host, '--smtp-host', peer.host, '--tls-host', `${peer.host}:${peer.port}`];
  const { code, out } = await checklist([...addresses(), ...hosts, '--only', '1,2,3,4,5,6,7', '--minutes', '0'], {
    KEY: client.key,
  });
  expect(out).toMatch(/ok {5}status at StreamUrlmcp: 401 \(401\)\n.*challenge at StreamUrlmcp: Bearer/);
  expect(out).toMatch(/ok {5}duration at ApiUrl: \d+ ms \(at most 5000\)/);
  expect(out).toMatch(/ok {5}response: \d+ ms \(at most 2000\)/);
  expect(out).toMatch(/creation of "a\?b": 400 .*\n.*deletion of "a\/b 100%": 204/);
  expect(out).toMatch(/port 25: connect: /);
  expect(out).toMatch(/median of 50 \(single probe: \d+ ms, longest: \d+ ms\): \d+ ms/);
  expect(out).toMatch(/failures in 0 minutes: 0 \(at least 0\)/);
  expect(out).not.toContain(client.key);
  expect(out).toMatch(/^7 passed or skipped, 0 failed$/m);
  expect(code).toBe(0);
  expect((await client.get('/v1/blueprints')).body).toEqual([]);
  expect((await client.get('/v1/checks')).body).toEqual([]);
});

/** Puts a substitute for the AWS CLI on the path, which returns a stack, and `values` for each metric. */
function withCli(values: object): { calls: string; env: Record<string, string> } {
  const calls = join(dir, 'calls');
  const stack = {
    StackResourceSummaries: [
      { ResourceType: 'AWS::SQS::Queue', PhysicalResourceId: 'https://sqs.example/1/fleet-Queuejob-1' },
      { ResourceType: 'AWS::SQS::Queue', PhysicalResourceId: 'https://sqs.example/1/fleet-Deadjob-1' },
      { ResourceType: 'AWS::Lambda::Function', PhysicalResourceId: 'fleet-prober' },
    ],
  };
  const answer = `case "$1" in cloudformation) echo '${JSON.stringify(stack)}';; *) echo '${JSON.stringify({ Datapoints: [values] })}';; esac`;
  writeFileSync(join(dir, 'aws'), `#!/bin/sh\necho "$@" >> ${calls}\n${answer}\n`, { mode: 0o755 });
  return { calls, env: { KEY: client.key, PATH: `${dir}:${process.env.PATH}` } };
}

it('reads metrics of the stack with the AWS CLI', async () => {
  const { calls, env } = withCli({ Sum: 360, Maximum: 12 });
  const { code, out } = await checklist([...addresses(), '--stack', 'fleet', '--only', '8,9'], env);
  expect(out).toMatch(
    /ok {5}ScheduleLag of generator: 12 s .*\n.*ok {5}ApproximateAgeOfOldestMessage of fleet-Queuejob-1: 12 s/,
  );
  expect(out).toMatch(/ok {5}NumberOfEmptyReceives of fleet-Queuejob-1: 360 an hour \(at most 1000\)/);
  expect(readFileSync(calls, 'utf8')).not.toContain('Dead');
  expect(code).toBe(0);
});

it('exits with 1 if a threshold is missed, and prints JSON', async () => {
  const { env } = withCli({ Sum: 1200, Maximum: 61 });
  const { code, out } = await checklist([...addresses(), '--stack', 'fleet', '--only', '4,8,9', '--json'], env);
  const { passed, items } = JSON.parse(out);
  expect({ code, passed }).toEqual({ code: 1, passed: false });
  expect(items.map((one: { status: string }) => one.status)).toEqual(['passed', 'missed', 'missed']);
  const [lag, age] = items[1].measurements;
  expect(lag).toEqual({
    what: 'ScheduleLag of generator',
    value: 61,
    unit: 's',
    wanted: 'at most 60',
    passed: false,
  });
  expect(age.passed).toBe(true);
});

it('skips metrics without --stack', async () => {
  const { code, out } = await checklist([...addresses(), '--only', '8,9', '--json'], { KEY: client.key });
  expect(JSON.parse(out).items.map((one: { status: string }) => one.status)).toEqual(['skipped', 'skipped']);
  expect(code).toBe(0);
});

it('reports an item that did not run and continues', async () => {
  await using mute = await rawTarget(() => {});
  const more = ['--tls-host', `${mute.host}:${mute.port}`, '--patience', '0', '--only', '2,6'];
  const { code, out } = await checklist([...addresses(), ...more, client.key]);
  expect(out).toMatch(/not run: the result of a TLS check: not within 0 s/);
  expect(code).toBe(1);
  expect((await client.get('/v1/blueprints')).body).toEqual([]);
});

it.each([
  [[], 'Give a key'],
  [['k'], 'Give --url'],
  [['--no-cdn', 'k'], '--stream-url'],
  [['--url', 'fleet.example.com', 'k'], 'must be an http or https URL'],
  [['--url', 'https://fleet.example.com', '--only', '99', 'k'], 'item 99 does not exist'],
  [['--url', 'https://fleet.example.com', '--minutes', 'few', 'k'], '--minutes'],
])('rejects %j with a sentence', async (args, sentence) => {
  const { code, err } = await checklist(args);
  expect(code).toBe(2);
  expect(err).toContain(sentence);
});
