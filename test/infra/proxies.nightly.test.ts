import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnv, runCommand } from '#test/support/command.ts';
import { eventually } from '#test/support/eventually.ts';
import { lastingPort } from '#test/support/lasting-port.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { blocksOf } from './run-page.ts';

const page = readFileSync(new URL('../../docs/operate/install.md', import.meta.url), 'utf8');
const blocks = blocksOf(page);
const snippet = (language: string) => blocks.find((block) => block.language === language)!.text;

/**
 * Functions that write the documented configuration of a proxy, with this port and upstream, and return its arguments.
 */
const PROXIES = {
  nginx: (dir: string, port: number, upstream: string) => {
    const server = `server { listen 127.0.0.1:${port};\n${snippet('nginx').replace('127.0.0.1:8787', upstream)} }`;
    const main = `daemon off; pid ${dir}/pid; error_log stderr; events {}\n`;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${dir}/${name};`,
    );
    writeFileSync(join(dir, 'config'), `${main}http { access_log off; ${temporary.join(' ')}\n${server} }`);
    return ['-c', join(dir, 'config')];
  },
  caddy: (dir: string, port: number, upstream: string) => {
    const site = snippet('caddy').replace('fleet.example.com', `http://127.0.0.1:${port}`);
    writeFileSync(join(dir, 'config'), `{\n  admin off\n}\n${site.replace('127.0.0.1:8787', upstream)}`);
    return ['run', '--config', join(dir, 'config'), '--adapter', 'caddyfile'];
  },
};

describe.each(Object.keys(PROXIES) as (keyof typeof PROXIES)[])('%s with the configuration of the docs', (name) => {
  const dir = mkdtempSync(join(tmpdir(), `fleetwatch-${name}-`));
  let service: RealService;
  let proxy: ChildProcess;
  let url: string;

  beforeAll(async () => {
    service = await startRealService({
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMITS: 'open=1/20',
      EGRESS_ALLOW: '127.0.0.0/8',
    });
    const port = await lastingPort();
    url = `http://127.0.0.1:${port}`;
    const args = PROXIES[name](dir, port, new URL(service.url).host);
    const env = bareEnv({ HOME: dir, PATH: `${process.env.PATH}:/usr/sbin` });
    proxy = spawn(name, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    await eventually(async () => (await fetch(`${url}/v1/me`)).status === 401);
  });
  afterAll(async () => {
    proxy.kill('SIGTERM');
    await once(proxy, 'exit');
    await service[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });

  it('passes every step of the smoke test, including streams', async () => {
    const { out, code } = await runCommand('infra/smoke/main.ts', [url, service.client.key]);
    expect(out).toMatch(/^10 passed, 0 failed$/m);
    expect(code).toBe(0);
  });

  it('passes the true address of each client, whatever the client claims', async () => {
    const from = async (localAddress: string, claimed: string): Promise<number | undefined> => {
      const request = get(`${url}/v1/me`, { localAddress, headers: { 'x-forwarded-for': claimed } });
      const [response] = await once(request, 'response');
      response.resume();
      return response.statusCode;
    };
    const statuses = [];
    for (let i = 0; i < 25; i++) statuses.push(await from('127.0.0.5', `192.0.2.${i}`));
    expect(statuses).toContain(429);
    expect(await from('127.0.0.6', '192.0.2.1')).toBe(401);
  });
});
