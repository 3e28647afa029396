import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { findProgram } from '#test/support/find-program.ts';
import { got } from '#test/support/fleet.ts';
import { lastingPort } from '#test/support/lasting-port.ts';
import { startRealService } from '#test/support/real-service.ts';
import { blocksOf } from './run-page.ts';

const nginx = findProgram('nginx');
const [cache = '', location = '', root = ''] = blocksOf(readFileSync('docs/use/status-pages.md', 'utf8'))
  .filter(({ language }) => language === 'nginx')
  .map(({ text }) => text);

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

/** Starts nginx with the lines of the page. @returns its address */
async function startNginx(service: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-nginx-'));
  undo.push(() => rmSync(dir, { recursive: true, force: true }));
  const port = await lastingPort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${dir}/${of};`);
  const here = (text: string) =>
    text.replace('/var/cache/nginx/status', `${dir}/cache`).replace('http://127.0.0.1:8787', service);
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; pid ${dir}/pid; error_log ${dir}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''} events {}
    http { access_log off; ${temporary.join(' ')} ${here(cache)}
      server { listen 127.0.0.1:${port}; ${here(location)} ${root} } }`,
  );
  const server: ChildProcess = spawn(nginx!, ['-p', dir, '-c', join(dir, 'nginx.conf')], { stdio: 'ignore' });
  undo.push(() => void server.kill('SIGTERM'));
  return `http://127.0.0.1:${port}`;
}

describe.runIf(nginx)('nginx in front of a status page', () => {
  it('serves the page, also at the root, and still after kill -9 of the service', async () => {
    await using service = await startRealService();
    const page = {
      slug: 'acme',
      title: 'Acme status',
      visibility: 'public',
      groups: [{ components: [{ name: 'Shop' }] }],
    };
    got(await service.client.post('/v1/status-pages', page), 201);
    const url = await startNginx(service.url);
    const read = async (path: string) => {
      const response = await fetch(url + path);
      return `${response.status} ${await response.text()}`;
    };
    await eventually(async () => (await read('/status/acme')).startsWith('200'));
    expect(await read('/')).toContain('<h1>Acme status</h1>');
    expect(await read('/status/acme.json')).toContain('"version":1');
    await service.kill();
    await expect(fetch(service.url)).rejects.toThrow();
    for (const path of ['/', '/status/acme', '/status/acme?x=y', '/status/acme.json'])
      expect(await read(path), path).toMatch(/^200 /);
    expect(await read('/status/acme')).toContain('data-as-of=');
  });
});
