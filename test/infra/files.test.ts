import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { localFiles } from '#infra/local/files.ts';
import { s3Files } from '#lib/aws/s3-files.ts';
import type { Files } from '#lib/platform/ports.ts';

const SECRET = 'secret-of-the-test';
const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-files-'));

/** Stored objects, with their headers, of a server that implements the part of S3 that the port uses. */
const objects = new Map<string, { bytes: Buffer; headers: IncomingMessage['headers'] }>();
/** Number of next requests that the server rejects with 503. */
let busy = 0;
let server: Server;

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Returns the signature that S3 expects (AWS Signature Version 4), computed from the received request. */
function signatureOf({ method, url, headers }: IncomingMessage, signed: string, scope: string): string {
  const [date = '', region = '', service = '', last = ''] = scope.split('/');
  const list = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, url, '', list.join(''), signed, headers['x-amz-content-sha256']].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n');
  const key = [region, service, last].reduce(hmac, hmac(`AWS4${SECRET}`, date));
  return createHmac('sha256', key).update(text).digest('hex');
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { method, url = '', headers } = request;
    const [, scope = '', signed = '', signature] =
      /Credential=AKTEST\/(\S+), SignedHeaders=(\S+), Signature=(\w+)/.exec(headers.authorization ?? '') ?? [];
    const isRight =
      signatureOf(request, signed, scope) === signature && headers['x-amz-content-sha256'] === sha256(body);
    const found = objects.get(url);
    if (busy-- > 0) response.writeHead(503).end();
    else if (!isRight) response.writeHead(400).end('SignatureDoesNotMatch');
    else if (method === 'PUT') {
      objects.set(url, { bytes: body, headers });
      response.end();
    } else if (method === 'DELETE') {
      objects.delete(url);
      response.writeHead(204).end();
    } else if (!found) response.writeHead(403).end('AccessDenied');
    else response.writeHead(200, { 'content-type': found.headers['content-type'] }).end(found.bytes);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKTEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const CACHING = { 'cache-control': 'public, max-age=15' };
const create: Record<string, () => Files> = {
  'in memory': () => localFiles(undefined),
  'in a folder': () => localFiles(dir),
  'in a bucket': () => s3Files('files', CACHING),
};

describe.each(Object.keys(create))('published files %s', (where) => {
  it('are read as written, can be replaced, and can be removed', async () => {
    const files = create[where]!();
    const path = 'status/acme--a_B-9/index.html';
    const html = (text: string) => ({ bytes: Buffer.from(text), type: 'text/html; charset=utf-8' });
    const read = async () => {
      const file = await files.get(path);
      return file && [Buffer.from(file.bytes).toString(), file.type];
    };
    expect(await read()).toBeUndefined();
    await files.put(path, html('ä 1'));
    expect(await read()).toEqual(['ä 1', 'text/html; charset=utf-8']);
    await files.put(path, html('2'));
    expect((await read())![0]).toBe('2');
    expect(await files.get('status/acme--a_B-9')).toBeUndefined();
    await files.remove([path, 'status/none/index.html']);
    expect(await read()).toBeUndefined();
  });
});

it('files in a folder leave nothing half written', async () => {
  const files = localFiles(dir);
  const writes = Array.from({ length: 20 }, (_, i) =>
    files.put('status/same.json', { bytes: Buffer.from(`${i}`.repeat(10_000)), type: 'application/json' }),
  );
  await Promise.all(writes);
  const text = Buffer.from((await files.get('status/same.json'))!.bytes).toString();
  expect(text).toBe(text.slice(0, text.length / 10_000).repeat(10_000));
  expect(readdirSync(join(dir, 'public'))).toEqual(['status']);
});

describe('files in a bucket', () => {
  it('are stored with their caching, and survive one failure of S3', async () => {
    busy = 1;
    await s3Files('files', CACHING).put('status/a.json', { bytes: Buffer.from('{}'), type: 'application/json' });
    expect(objects.get('/files/status/a.json')!.headers).toMatchObject({
      ...CACHING,
      'content-type': 'application/json',
    });
  });

  it('are unavailable if S3 fails again', async () => {
    busy = 2;
    await expect(s3Files('files', CACHING).get('status/a.json')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
