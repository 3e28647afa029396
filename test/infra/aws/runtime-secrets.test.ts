import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { withSecrets } from '#lib/aws/lambda/runtime-secrets.ts';
import type { Ports } from '#lib/env.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';

const manager = mockClient(SecretsManagerClient);
const [FIRST, SECOND] = ['nats://me:one@a.example.com', 'nats://me:two@a.example.com'];
const MINUTE_MS = 60_000;
const down = Object.assign(new Error('no route'), { name: 'TimeoutError' });
const reads = () => manager.commandCalls(GetSecretValueCommand).length;
const holds = (SecretString: string) =>
  manager.on(GetSecretValueCommand, { SecretId: 'nats' }).resolves({ SecretString });

beforeEach(() => void manager.reset());

/** Creates a function that returns its NATS_URL, and counts how often it was created. */
function world(env: Record<string, string> = { NATS_URL_SECRET: 'nats' }) {
  const log = memoryLog();
  const at = { now: Date.UTC(2026, 10, 25) };
  const ports = { clock: { now: () => at.now }, log, settings: readSettings({}) } as unknown as Ports;
  const made = { count: 0 };
  const work = withSecrets(env, ports, ['NATS_URL', 'SMTP_URL'], ({ settings }) => {
    made.count++;
    return async () => settings.NATS_URL;
  });
  return { log, made, ask: () => work({}), pass: (ms: number) => void Object.assign(at, { now: at.now + ms }) };
}

describe('a function with a secret', () => {
  it('reads it once in five minutes, then uses a rotated value without a deployment', async () => {
    holds(FIRST);
    const { made, ask, pass } = world();
    expect([await ask(), await ask()]).toEqual([FIRST, FIRST]);
    holds(SECOND);
    pass(5 * MINUTE_MS - 1);
    expect([await ask(), reads(), made.count]).toEqual([FIRST, 1, 1]);
    pass(1);
    expect([await ask(), reads(), made.count]).toEqual([SECOND, 2, 2]);
  });

  it('is not created again for an unchanged value', async () => {
    holds(FIRST);
    const { made, ask, pass } = world();
    await ask();
    pass(5 * MINUTE_MS);
    await ask();
    expect([reads(), made.count]).toEqual([2, 1]);
  });

  it.each([
    ['cannot be read', () => manager.on(GetSecretValueCommand).rejects(down)],
    ['is not a valid setting', () => holds('http://a.example.com')],
    ['has no text', () => manager.on(GetSecretValueCommand).resolves({})],
  ])('uses the last value of a secret that %s, logs the failure, and retries after a minute', async (_, breaks) => {
    holds(FIRST);
    const { log, ask, pass } = world();
    await ask();
    breaks();
    pass(5 * MINUTE_MS);
    expect([await ask(), await ask(), reads()]).toEqual([FIRST, FIRST, 2]);
    expect(JSON.stringify(log.lines)).toContain('secret not read, its last value is used');
    holds(SECOND);
    pass(MINUTE_MS);
    expect(await ask()).toBe(SECOND);
  });

  it('fails without a value, so that its work is retried, and recovers', async () => {
    manager.on(GetSecretValueCommand).rejects(down);
    const { ask } = world();
    await expect(ask()).rejects.toThrow('no route');
    holds(FIRST);
    expect(await ask()).toBe(FIRST);
  });

  it('reads nothing if no setting names a secret', async () => {
    const { ask } = world({});
    expect([await ask(), reads()]).toEqual(['', 0]);
  });
});
