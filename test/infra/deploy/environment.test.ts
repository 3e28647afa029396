import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { ofRestoredTable } from '#infra/aws/preflight.ts';
import { assertNoSettings, DeploySettings } from '#infra/aws/settings.ts';
import { readEnvironment } from '#infra/deploy/environment.ts';
import { runCommand } from '#test/support/command.ts';

const NAME = `test-${process.pid}`;
const FILE = `deploy/${NAME}.json`;
const read = (text: string) => {
  mkdirSync('deploy', { recursive: true });
  writeFileSync(FILE, text);
  return readEnvironment(NAME);
};
afterEach(() => rmSync(FILE, { force: true }));

describe('settings of an environment', () => {
  it('are read from their file, as texts, numbers and booleans', () => {
    const { settings, file } = read('{"STACK_NAME": "fleet-test", "LOG_RETENTION_DAYS": 60, "CDN": false}');
    expect(file).toBe(FILE);
    expect(settings).toMatchObject({ STACK_NAME: 'fleet-test', LOG_RETENTION_DAYS: 60, CDN: false });
  });

  it.each([
    ['{"ALARM_MAIL": "ops@example.com"}', 'ALARM_MAIL is not known; did you mean ALARM_EMAIL'],
    ['{"SUBNETS": ["subnet-0a1b2c3d"]}', 'SUBNETS: must be a text, a number, true or false'],
    ['{"LOG_RETENTION_DAYS": 31}', 'LOG_RETENTION_DAYS'],
    ['[]', 'Settings are an object'],
    ['{', 'JSON'],
  ])('are rejected with one sentence that names the file: %s', (text, sentence) => {
    expect(() => read(text)).toThrow(sentence);
    expect(() => read(text)).toThrow(FILE);
  });

  it('require an environment name and its file', () => {
    expect(() => readEnvironment(undefined)).toThrow('Name an environment: --env NAME');
    expect(() => readEnvironment('../prod')).toThrow('--env takes a name');
    expect(() => readEnvironment('none-such')).toThrow('deploy/none-such.json does not exist. Create it');
  });

  it('are rejected in the context of the CDK', () => {
    const context = { env: 'prod', '@aws-cdk/core:x': true, 'availability-zones:account=1': [], tree: {} };
    expect(() => assertNoSettings(context, FILE)).not.toThrow();
    expect(() => assertNoSettings({ ...context, STACK_NAME: 'x' }, FILE)).toThrow(`Move STACK_NAME there from -c`);
  });
});

describe('stack with a restored table', () => {
  const arn = 'arn:aws:dynamodb:eu-central-1:111122223333:table/restored/stream/2026-11-21T22:26:45.123';
  const template = (EventSourceArn: unknown) => ({ Resources: { One: { Properties: { EventSourceArn } }, Two: {} } });

  it('is not deployed without TABLE_STREAM_ARN', () => {
    expect(ofRestoredTable(template(arn), DeploySettings.parse({}))).toEqual([
      { is: 'stop', message: expect.stringContaining(`Set TABLE_STREAM_ARN to ${arn}`) },
    ]);
    expect(ofRestoredTable(template(arn), DeploySettings.parse({ TABLE_STREAM_ARN: arn }))).toEqual([]);
    expect(ofRestoredTable(template({ 'Fn::GetAtt': ['Table', 'StreamArn'] }), DeploySettings.parse({}))).toEqual([]);
  });
});

it.each([
  ['infra/deploy/main.ts', [], 'Name an environment'],
  ['infra/deploy/main.ts', ['undeploy', '--env', 'prod'], 'Use deploy, diff, destroy'],
  ['infra/deploy/main.ts', ['--enf', 'prod'], 'did you mean --env?'],
  ['infra/deploy/check.ts', ['--env', 'none-such'], 'does not exist'],
])('%s %j exits with 2 and one sentence', async (file, args, sentence) => {
  const { code, err } = await runCommand(file, args);
  expect(code).toBe(2);
  expect(err).toContain(sentence);
});
