import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bareEnv } from '#test/support/command.ts';
import { eventually } from '#test/support/eventually.ts';
import { lastingPort } from '#test/support/lasting-port.ts';

const root = join(import.meta.dirname, '../..');

it('installs into an empty folder, and runs there', { timeout: 300_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-package-'));
  const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, encoding: 'utf8' });
  const packed = `./${npm(['pack', '--silent', '--pack-destination', dir], root).trim()}`;
  writeFileSync(join(dir, 'package.json'), '{}');
  npm(['install', '--no-audit', '--no-fund', packed], dir);
  const program = join(dir, 'node_modules/.bin/fleetwatch');
  const [port, metricsPort] = [await lastingPort(), await lastingPort()];
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const env = bareEnv({ ...ports, HOME: dir, NODE_COMPILE_CACHE: join(dir, 'compiled') });
  const run = (...args: string[]) => execFileSync(program, args, { cwd: dir, env, encoding: 'utf8' });

  const service = spawn(program, [], { cwd: dir, env, stdio: 'inherit' });
  try {
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => (await fetch(`${url}/v1/health`)).ok, 60_000);
    expect(existsSync(join(dir, '.data/fleetwatch.db'))).toBe(true);
    expect(await (await fetch(`${url}/docs/operate/install`)).text()).toContain('Install on one machine');
    expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toContain('<script');
    expect(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).toContain(
      '\nfleetwatch_store_bytes ',
    );
    expect(run('admin', 'account', 'list')).toMatch(/^acc_\w+ {2}enabled/);
    expect(run('smoke', url, readFileSync(join(dir, '.data/admin-key'), 'utf8'))).toMatch(/^10 passed, 0 failed$/m);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  } finally {
    service.kill('SIGKILL');
    rmSync(dir, { recursive: true });
  }
});
