import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, newTenant } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import { newJob, pingsOf } from '#test/support/pings.ts';

const PING_URL = process.env.DEPLOYED_PING_URL!;
const EMULATOR = new URL(process.env.AWS_ENDPOINT_URL!);

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

/**
 * Calls a function URL without TLS. The emulator identifies it by its host name, which does not resolve here.
 * @returns the response, followed by its status
 */
async function curl(url: string, ...more: string[]): Promise<string> {
  const words = ['-sS', '-m', '20', '--connect-to', `::${EMULATOR.host}`, '-w', '%{http_code}', ...more];
  return (await promisify(execFile)('curl', [...words, url.replace(/^https:/, 'http:')])).stdout;
}

describe('PingUrl', () => {
  it('is the base of the ping URLs of checks', async () => {
    const { ping_url } = await newJob(client);
    expect(ping_url.startsWith(`${PING_URL}ping/`)).toBe(true);
  });

  it.each([
    ['HEAD', ['--head']],
    ['GET', []],
    ['POST', ['--data-raw', 'copied 3 tables']],
  ])('accepts curl with %s and records the ping', async (method, words) => {
    const { id, ping_url } = await newJob(client);
    const answer = await curl(ping_url, ...words);
    if (method === 'HEAD') expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*ping-body-limit: 10000\r\n.*\r\n\r\n200$/is);
    else expect(answer).toBe('OK200');
    const body_bytes = method === 'POST' ? 15 : 0;
    expect(await pingsOf(client, id)).toMatchObject([{ kind: 'success', method, body_bytes }]);
    expect(got(await client.get(`/v1/checks/${id}`), 200).state).toBe('up');
  });

  it('accepts a failure with the last output of the job', async () => {
    const { id, ping_url } = await newJob(client);
    expect(await curl(`${ping_url}/3`, '--data-raw', 'copying\nno space left')).toBe('OK200');
    expect(got(await client.get(`/v1/checks/${id}`), 200)).toMatchObject({
      state: 'down',
      last_result: { status_code: 3, error_message: expect.stringContaining('no space left') },
    });
  });

  it('rejects unknown URLs and methods', async () => {
    expect(await curl(`${PING_URL}ping/${randomUUID()}`)).toBe('not found404');
    expect(await curl((await newJob(client)).ping_url, '-X', 'PUT')).toBe('method not allowed405');
  });
});
