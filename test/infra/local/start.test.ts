import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientOf } from '#test/support/client.ts';
import { startMain } from '#test/support/main-process.ts';

it('runs the service in the process of npm start, with its node flags', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-start-'));
  const { child, ready, exited } = startMain({ DATA_DIR: dir });
  const { url, key } = await ready;
  expect((await clientOf(url, key).get('/v1/me')).status).toBe(200);
  const command = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(child.pid)], { encoding: 'utf8' });
  expect(command).toContain('--max-semi-space-size=');
  expect(command).toContain('infra/local/main.ts');
  child.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, signal: null });
  rmSync(dir, { recursive: true });
});

it('does not load the clients of NATS, mail and fetch unless settings need them', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import('#infra/local/host.ts');
    const unexpected = [...loaded, ...process.moduleLoadList].filter((name) => /nats-io|nodemailer|undici/.test(name));
    process.stdout.write(JSON.stringify({ count: loaded.length, unexpected }));
  `;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const { count, unexpected } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(count).toBeGreaterThan(100);
  expect(unexpected).toEqual([]);
});
