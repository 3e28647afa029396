import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#test/support/eventually.ts';
import { lastingPort } from '#test/support/lasting-port.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Pinned, because cannot.ts lists the limits of this version of the emulator. */
const PACKAGES = ['ministack==1.5.33', 'cfn-lint==1.58.0'];
const VENV = join(ROOT, '.cache/emulator');

export type Emulator = {
  url: string;
  /** Environment in which the CDK and the SDK find the emulator. */
  env: Record<string, string>;
  stop(): void;
};

/** Returns the folder of the Python programs that the tests need. Installs them on first use. */
export async function pythonTools(): Promise<string> {
  const mark = join(VENV, PACKAGES.join('+').replaceAll('=', '-'));
  if (!existsSync(mark)) {
    rmSync(VENV, { recursive: true, force: true });
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    const steps: [string, string[]][] = [
      ['python3', ['-m', 'venv', VENV]],
      [join(VENV, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES]],
    ];
    for (const [command, args] of steps) {
      const { code, out } = await run(command, args, { limitSeconds: 120 });
      if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed. Python 3.10 or newer is required.\n${out}`);
    }
    writeFileSync(mark, '');
  }
  return join(VENV, 'bin');
}

/** Starts an emulated AWS on a free port, without access to a real account. */
export async function startEmulator(bin: string): Promise<Emulator> {
  const port = await lastingPort();
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-aws-'));
  // The emulator runs functions with the first `node` of PATH: this script, which loads the streaming runtime.
  const node = join(dir, 'node');
  const runtime = join(import.meta.dirname, 'streaming-runtime.cjs');
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --require '${runtime}' "$@"\n`);
  chmodSync(node, 0o755);
  // Files of the functions end in .js and are below TMPDIR; a package.json above it must not define their format.
  writeFileSync(join(dir, 'package.json'), '{}');
  const log = join(ROOT, '.cache/emulator.log');
  const { AWS_ENDPOINT_URL: _, MINISTACK_HOST: __, ...rest } = process.env;
  const child = spawn(join(bin, 'python3'), [join(import.meta.dirname, 'emulator.py')], {
    env: { ...rest, PATH: `${dir}:${rest.PATH}`, GATEWAY_PORT: String(port), TMPDIR: dir },
    stdio: ['ignore', openSync(log, 'w'), openSync(log, 'a')],
    detached: true,
  });
  // The emulator ignores SIGTERM, and its functions are separate processes.
  const stop = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', stop);
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/_ministack/health`)).ok, 20_000);
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-central-1',
    AWS_DEFAULT_REGION: 'eu-central-1',
    CDK_DISABLE_CLI_TELEMETRY: '1',
  };
  return {
    url,
    env,
    stop: () => {
      process.off('exit', stop);
      stop();
    },
  };
}
