import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '#test/support/find-program.ts';
import { got } from '#test/support/fleet.ts';
import { newJob, pingsOf } from '#test/support/pings.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { blocksOf } from './run-page.ts';

/** Runs the examples of docs/use/cron-jobs.md: crontab, systemd, Kubernetes, GitHub and a program. */
const page = readFileSync(new URL('../../docs/use/cron-jobs.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  blocksOf(page).flatMap((block) => (block.language === language ? [block.text] : []));
/** Returns the first group of a pattern in a text. Throws if it is missing. */
const partOf = (text: string | undefined, pattern: RegExp): string => {
  const found = pattern.exec(text ?? '')?.[1];
  if (found === undefined) throw new Error(`The page does not match ${pattern}.`);
  return found;
};

let service: RealService;
let bin: string;
beforeAll(async () => {
  service = await startRealService();
  bin = mkdtempSync(join(tmpdir(), 'fleetwatch-cron-'));
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('backup', 'echo copying; echo no space left >&2; exit $CODE');
  program('uuidgen', 'cat /proc/sys/kernel/random/uuid');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(bin, { recursive: true, force: true });
});

type Environment = Record<string, string>;
type Ping = { id: string; kind: string; exit_status: number | null; rid: string | null };

/** Runs a program with the ping URL of a new check in PING. @returns the received pings, oldest first */
async function pingsBy(program: readonly [string, ...string[]], env: Environment = {}) {
  const { id, ping_url } = await newJob(service.client);
  const path = `${bin}${delimiter}${process.env.PATH}`;
  const [file, ...args] = program;
  // The exit code of a failing job does not matter.
  await promisify(execFile)(file, args, {
    env: { ...process.env, PATH: path, PING: ping_url, RUNNER_TEMP: bin, ...env },
  }).catch(({ code }) => expect(code).toBeTypeOf('number'));
  const pings = ((await pingsOf(service.client, id)) as Ping[]).toReversed();
  const bodyOf = async (ping: Ping | undefined) =>
    got(await service.client.get(`/v1/checks/${id}/pings/${ping?.id}/body`), 200);
  return { pings, reports: pings.map(({ kind, exit_status }) => `${kind} ${exit_status}`), bodyOf };
}

/** Runs a line in a shell, as cron and systemd do. */
const byShell = (line: string, env: Environment = {}) =>
  pingsBy(['sh', '-c', line.replaceAll('/usr/local/bin/backup', 'backup')], env);

const OUTPUT = 'copying\nno space left';

describe('crontab job', () => {
  const line = partOf(blocks('crontab')[0], /^30 2 \* \* \* (.*)$/m);

  it.each([
    ['0', 'success 0'],
    ['3', 'fail 3'],
  ])('reports exit code %s', async (CODE, reports) => {
    const job = await byShell(line, { CODE });
    expect(job.reports).toEqual([reports]);
    expect(await job.bodyOf(job.pings[0])).toBe(OUTPUT);
  });

  it.skipIf(!findProgram('wget'))('pings with wget', async () => {
    expect((await byShell(partOf(page, /`(wget [^`]*)`/))).reports).toEqual(['success null']);
  });

  it.skipIf(!findProgram('runitor'))('reports the exit code with runitor', async () => {
    const [host, command] = [partOf(blocks('crontab')[1], /(\/ping)$/m), partOf(blocks('crontab')[1], /-- (.*)$/m)];
    const uuid = '$(basename $PING)';
    const job = await byShell(`runitor -api-url ${service.url}${host} -uuid ${uuid} -- ${command}`, { CODE: '3' });
    expect(job.reports).toEqual(['start null', 'fail 3']);
  });
});

describe('systemd service', () => {
  const before = partOf(blocks('ini')[0], /^ExecStartPre=-(.*)$/m);
  const after = partOf(blocks('ini')[0], /^ExecStopPost=-(.*)$/m);

  it('reports the start', async () => expect((await byShell(before)).reports).toEqual(['start null']));

  // Variables of systemd: https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
  it.each([
    ['success', 'exited', '0', 'success 0'],
    ['exit-code', 'exited', '3', 'fail 3'],
    ['signal', 'killed', 'KILL', 'fail null'],
    ['timeout', 'killed', 'TERM', 'fail null'],
    ['timeout', 'exited', '0', 'fail null'],
  ])('reports the end with %s: %s %s', async (SERVICE_RESULT, EXIT_CODE, EXIT_STATUS, reports) => {
    expect((await byShell(after, { SERVICE_RESULT, EXIT_CODE, EXIT_STATUS })).reports).toEqual([reports]);
  });
});

it.each([
  ['0', 'success 0'],
  ['3', 'fail 3'],
])('reports exit code %s of a Kubernetes CronJob', async (CODE, reports) => {
  const job = await byShell(partOf(blocks('yaml')[0], /args: \['(.*)'\]$/m), { CODE });
  expect(job.reports).toEqual([reports]);
  expect(await job.bodyOf(job.pings[0])).toBe(OUTPUT);
});

it.each([
  ['0', ['start null', 'success 0']],
  ['3', ['start null', 'fail null']],
])('reports whether a job with exit code %s in a GitHub workflow succeeded', async (CODE, reports) => {
  const [start, job, end] = [...blocks('yaml')[1]!.matchAll(/run: (.*)$/gm)].map(([, line]) => line!);
  expect(job).toBe('./backup');
  const outcome = CODE === '0' ? '0' : 'fail';
  const lines = [
    start,
    'backup || true',
    end!.replace(/\$\{\{ job\.status == 'success' && '0' \|\| 'fail' \}\}/, outcome),
  ];
  const { pings, reports: found } = await byShell(lines.join('\n'), { CODE });
  expect(found).toEqual(reports);
  expect(pings[0]!.rid).toEqual(expect.any(String));
  expect(pings[1]!.rid).toBe(pings[0]!.rid);
});

describe.skipIf(!findProgram('python3'))('Python job', () => {
  const [program] = blocks('python');

  it.each([
    ['ends well', 'pass', ['start null', 'success null']],
    ['raises', 'raise OSError("no space left")', ['start null', 'fail null']],
  ])('reports a job that %s', async (_how, backup, reports) => {
    const job = await pingsBy(['python3', '-c', `def backup(): ${backup}\n${program}`]);
    expect(job.reports).toEqual(reports);
    if (reports[1] === 'fail null') expect(await job.bodyOf(job.pings[1])).toMatch(/^OSError: no space left$/m);
  });
});
