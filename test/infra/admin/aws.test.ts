import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '#infra/aws/bundle/bundle.ts';
import { runCommand } from '#test/support/command.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'fleetwatch-admin-aws-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

const admin = (args: string[], env: Record<string, string> = {}) => runCommand('infra/admin/main.ts', args, env);

describe('admin schedule', () => {
  /** Puts a substitute for the AWS CLI on the path, which logs its arguments. */
  function withCli(outputs: { OutputKey: string; OutputValue: string }[], state: string) {
    const stacks = JSON.stringify({ Stacks: [{ StackStatus: 'UPDATE_COMPLETE', Outputs: outputs }] });
    const schedule = JSON.stringify({
      Arn: 'arn:aws:scheduler:x',
      CreationDate: '2026-11-01',
      LastModificationDate: '2026-11-02',
      Name: 'fleet-tick-1',
      ScheduleExpression: 'rate(1 minute)',
      State: state,
      Target: { Arn: 'arn:aws:sqs:x', Input: '{}' },
    });
    const calls = join(dir, 'calls');
    writeFileSync(calls, '');
    const answers = `case "$2" in describe-stacks) echo '${stacks}';; get-schedule) echo '${schedule}';; *) echo '{}';; esac`;
    writeFileSync(join(dir, 'aws'), `#!/bin/sh\necho "$@" >> ${calls}\n${answers}\n`, { mode: 0o755 });
    const env = { PATH: `${dir}:${process.env.PATH}` };
    return {
      run: (word: string) => admin(['schedule', word, '--stack', 'fleet'], env),
      calls: () => readFileSync(calls, 'utf8'),
    };
  }
  const named = [{ OutputKey: 'Schedules', OutputValue: 'fleet-tick-1' }];

  it('stops exactly the schedules in the outputs of the stack and prints the change', async () => {
    const { run, calls } = withCli(named, 'ENABLED');
    const { code, out } = await run('stop');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^fleet-tick-1: ENABLED to DISABLED\nJobs that/),
    });
    const [, input = ''] = /update-schedule --cli-input-json (\{.*\}) --output/.exec(calls())!;
    expect(JSON.parse(input)).toEqual({
      GroupName: 'default',
      Name: 'fleet-tick-1',
      ScheduleExpression: 'rate(1 minute)',
      State: 'DISABLED',
      Target: { Arn: 'arn:aws:sqs:x', Input: '{}' },
    });
    expect(calls()).not.toContain('list-schedules');
  });

  it('changes nothing if the schedule already has the requested state', async () => {
    const { run, calls } = withCli(named, 'ENABLED');
    expect((await run('start')).out).toMatch(/^fleet-tick-1 was ENABLED already/);
    expect(calls()).not.toContain('update-schedule');
  });

  it('rejects a missing --stack, and a stack without the output of this release', async () => {
    expect(await withCli([], 'ENABLED').run('stop')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no output'),
    });
    expect(await admin(['schedule', 'stop'])).toMatchObject({ code: 2, err: expect.stringContaining('--stack') });
  });
});

describe('admin trace', () => {
  /**
   * Writes the source maps of a function, and a log whose trace leads to `needle` in its code.
   * @returns the arguments
   */
  function traceTo(needle: string, log: (frame: string) => string): string[] {
    const { dir: code, ...made } = bundle('console');
    const maps = made.maps();
    mkdirSync(join(dir, 'maps/console'), { recursive: true });
    for (const [file, map] of Object.entries(maps))
      writeFileSync(join(dir, `maps/console/${file}.map`), JSON.stringify(map));
    const [file, before] = Object.keys(maps)
      .map((name) => [name, readFileSync(join(code, name), 'utf8').split(needle)] as const)
      .find(([, parts]) => parts.length > 1)!;
    const lines = before[0]!.split('\n');
    writeFileSync(join(dir, 'trace'), log(`file:///var/task/${file}:${lines.length}:${lines.at(-1)!.length + 1}`));
    return ['trace', join(dir, 'trace'), '--maps', join(dir, 'maps')];
  }

  it('prints a log line with the positions in the sources', async () => {
    const words = traceTo('is not an address of this service', (frame) =>
      JSON.stringify({ service: 'console', error: { stack: `Error: refused\n    at a (${frame})` } }),
    );
    const { code, out, err } = await admin(words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [, row = ''] = /at a \(lib\/platform\/http\/service-host\.ts:(\d+):\d+\)/.exec(out) ?? [out];
    const source = readFileSync('lib/platform/http/service-host.ts', 'utf8').split('\n');
    expect(source[Number(row) - 1]).toContain('is not an address of this service');
  });

  it('asks for the function of a trace that does not name it, and for the maps of the release', async () => {
    const words = traceTo('is not an address of this service', () => 'at file:///var/task/index.mjs:1:1');
    expect(await admin(words)).toMatchObject({ code: 2, err: expect.stringContaining('Give --function.') });
    expect((await admin([...words, '--function', 'consol'])).err).toContain('is not one of console');
    expect((await admin([...words.slice(0, 2), '--maps', join(dir, 'none')])).err).toContain('Give --maps');
    expect((await admin(['trace', join(dir, 'none')])).err).toContain('does not exist');
  });

  it('says that a frame belongs to another release', async () => {
    const words = traceTo('is not an address of this service', () => 'at file:///var/task/chunk-OTHER.mjs:1:1');
    expect((await admin(words)).out).toContain('chunk-OTHER.mjs:1:1 (of another release)');
  });
});
