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

it('prints each result with the expected one and deletes what it created', async () => {
  await using peer = await httpTarget(() => {});
  const hosts = ['--ipv6-host', peer.host, '--smtp-host', peer.host, '--tls-host', `${peer.host}:${peer.port}`];
  const { code, out } = await checklist([...addresses(), ...hosts, '--only', '1,2,3,4,5,6,7', '--minutes', '0'], {
    KEY: client.key,
  });
  expect(out).toMatch(/result: StreamUrlmcp: 401 .*www-authenticate: Bearer/);
  expect(out).toMatch(/result: ApiUrl: 202 after \d+ ms/);
  expect(out).toMatch(/result: the response came \d+ ms after/);
  expect(out).toMatch(/result: "a\?b": 400\n.*result: "a\/b 100%" deleted: 204/);
  expect(out).toMatch(/port 25: connect: /);
  expect(out).toMatch(/result: single probe \d+ ms; 50 concurrent: median \d+ ms/);
  expect(out).toMatch(/result: 0 failures in 0 minutes; expected: 0/);
  expect(out).not.toContain(client.key);
  expect(code).toBe(0);
  expect((await client.get('/v1/blueprints')).body).toEqual([]);
  expect((await client.get('/v1/checks')).body).toEqual([]);
});

it('reads metrics of the stack with the AWS CLI', async () => {
  const said = join(dir, 'said');
  const stack = {
    StackResourceSummaries: [
      { ResourceType: 'AWS::SQS::Queue', PhysicalResourceId: 'https://sqs.example/1/fleet-Queuejob-1' },
      { ResourceType: 'AWS::SQS::Queue', PhysicalResourceId: 'https://sqs.example/1/fleet-Deadjob-1' },
      { ResourceType: 'AWS::Lambda::Function', PhysicalResourceId: 'fleet-prober' },
    ],
  };
  const answer = `case "$1" in cloudformation) echo '${JSON.stringify(stack)}';; *) echo '{"Datapoints":[{"Sum":360,"Maximum":12}]}';; esac`;
  writeFileSync(join(dir, 'aws'), `#!/bin/sh\necho "$@" >> ${said}\n${answer}\n`, { mode: 0o755 });
  const env = { KEY: client.key, PATH: `${dir}:${process.env.PATH}` };
  const { code, out } = await checklist([...addresses(), '--stack', 'fleet', '--only', '8,9'], env);
  expect(out).toMatch(
    /result: ScheduleLag of generator: 12\n.*result: ApproximateAgeOfOldestMessage of fleet-Queuejob-1: 12/,
  );
  expect(out).toMatch(/result: NumberOfEmptyReceives of fleet-Queuejob-1: 360/);
  expect(readFileSync(said, 'utf8')).not.toContain('Dead');
  expect(code).toBe(0);
});

it('continues after an item that did not run and says so', async () => {
  await using mute = await rawTarget(() => {});
  const away = ['--tls-host', `${mute.host}:${mute.port}`, '--patience', '0', '--only', '2,6'];
  const { code, out } = await checklist([...addresses(), ...away, client.key]);
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
