import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { runAdmin } from '#infra/admin/run.ts';
import { eventually } from '#test/support/eventually.ts';
import { findProgram } from '#test/support/find-program.ts';
import { got } from '#test/support/fleet.ts';
import { lastingPort } from '#test/support/lasting-port.ts';
import { startRealService } from '#test/support/real-service.ts';
import { blocksOf } from './run-page.ts';

const nginx = findProgram('nginx');
const [cache = '', location = ''] = blocksOf(readFileSync('docs/use/status-pages.md', 'utf8'))
  .filter(({ language }) => language === 'nginx')
  .map(({ text }) => text);

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

/** Starts nginx with lines of the `http` and the `server` block. @returns its address */
async function startNginx(http: string, server: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-nginx-'));
  undo.push(() => rmSync(dir, { recursive: true, force: true }));
  const port = await lastingPort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${dir}/${of};`);
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; pid ${dir}/pid; error_log ${dir}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''} events {}
    http { access_log off; ${temporary.join(' ')} ${http.replace('/var/cache/nginx/status', `${dir}/cache`)}
      server { listen 127.0.0.1:${port}; ${server} } }`,
  );
  const started: ChildProcess = spawn(nginx!, ['-p', dir, '-c', join(dir, 'nginx.conf')], { stdio: 'ignore' });
  undo.push(() => void started.kill('SIGTERM'));
  return `http://127.0.0.1:${port}`;
}

describe.runIf(nginx)('nginx in front of a status page', () => {
  it('serves the page, also at its domain, and still after kill -9 of the service', async () => {
    const domain = 'status.acme.example';
    await using service = await startRealService({ STATUS_DOMAINS: domain });
    const page = {
      slug: 'acme',
      title: 'Acme status',
      visibility: 'public',
      groups: [{ components: [{ name: 'Shop' }] }],
    };
    const { id } = got(await service.client.post('/v1/status-pages', page), 201);
    const set = await runAdmin(['status-page', 'set-domain', id, domain], { DATA_DIR: service.dir });
    expect(set.err).toBe('');
    const lines = location.replace('http://127.0.0.1:8787', service.url).replace('location /status/', 'location /');
    const url = await startNginx(cache, lines);
    /** Reads with a Host header, which fetch cannot set. */
    const read = (path: string, host = '127.0.0.1') =>
      new Promise<string>((resolve, reject) => {
        const sent = request(url + path, { headers: { host } }, async (response) =>
          resolve(`${response.statusCode} ${await text(response)}`),
        );
        sent.on('error', reject).end();
      });
    await eventually(async () => (await read('/status/acme')).startsWith('200'));
    expect(await read('/', domain)).toContain('<h1>Acme status</h1>');
    expect(await read('/v1/health', domain)).toMatch(/^404 /);
    for (const json of [await read('/status/acme.json'), await read('/index.json', domain)])
      expect(json).toContain('"version":1');
    await service.kill();
    await expect(fetch(service.url)).rejects.toThrow();
    for (const path of ['/status/acme', '/status/acme?x=y', '/status/acme.json'])
      expect(await read(path), path).toMatch(/^200 /);
    for (const path of ['/', '/index.json']) expect(await read(path, domain), path).toMatch(/^200 /);
    expect(await read('/status/acme')).toContain('data-as-of=');
  });

  it('serves the same page from a copy of the published files, without the service', async () => {
    await using service = await startRealService();
    const page = { slug: 'acme', title: 'Acme status', visibility: 'public' };
    const { id } = got(await service.client.post('/v1/status-pages', page), 201);
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
    const { logo_url } = got(await service.client.put(`/v1/status-pages/${id}/logo`, { data: png }), 200);
    const folder = `${service.dir}/public`;
    const logo = new URL(logo_url).pathname;
    await eventually(async () => readdirSync(`${folder}/status/acme`).includes(basename(logo)), 20_000);
    await eventually(async () => readFileSync(`${folder}/status/acme/index.html`, 'utf8').includes(logo), 20_000);
    const paths = ['', '/history', '.json', '/feed.atom', '/maintenance.ics'].map((path) => `/status/acme${path}`);
    const bytesOf = async (base: string) =>
      Promise.all([...paths, logo].map(async (path) => Buffer.from(await (await fetch(base + path)).bytes())));
    const served = await bytesOf(service.url);
    await service.kill();
    const types = 'types { text/html html; application/json json; image/png png; } index index.html;';
    const url = await startNginx(types, `root ${folder}; absolute_redirect off;`);
    await eventually(async () => (await fetch(`${url}/status/acme/`)).ok);
    expect(await bytesOf(url)).toEqual(served);
    expect((await fetch(url + logo)).headers.get('content-type')).toBe('image/png');
  });
});
