import { afterEach, describe, expect, it } from 'vitest';
import { port, sendRaw, start, stop, url } from './gateway.ts';

afterEach(stop);

const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const ofBytes = async () => ({
  statusCode: 200,
  headers: { 'content-type': 'application/octet-stream' },
  body: every.toString('base64'),
  isBase64Encoded: true,
});

describe('encoded responses', () => {
  it('decodes a body in base64', async () => {
    await start(ofBytes);
    const answer = await fetch(url);
    expect(answer.headers.get('content-length')).toBe('256');
    expect(Buffer.from(await answer.arrayBuffer()).equals(every)).toBe(true);
  });

  it('sends the length on HEAD', async () => {
    await start(ofBytes);
    const answer = await fetch(url, { method: 'HEAD' });
    expect(answer.headers.get('content-length')).toBe('256');
    expect(await answer.text()).toBe('');
  });

  it('sends no length with 304 and continues with the next request', async () => {
    await start(async () => ({ statusCode: 304, headers: { etag: 'W/"1"' }, body: '' }));
    const request = (connection: string) => `GET / HTTP/1.1\r\nhost: h\r\nconnection: ${connection}\r\n\r\n`;
    const answers = await sendRaw(request('keep-alive') + request('close'), port);
    expect(answers.match(/HTTP\/1.1 304/g)).toHaveLength(2);
    expect(answers).not.toMatch(/content-length|transfer-encoding/i);
  });
});
