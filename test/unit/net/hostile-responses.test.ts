import type { Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { type KeyAndCertificate, selfSigned } from '#test/support/certificates.ts';
import { listening, rawTarget, type Target } from '#test/support/socket-target.ts';
import { failure, get } from '#test/support/test-net.ts';

const MB = 1024 * 1024;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

let certificate: KeyAndCertificate;
beforeAll(async () => {
  certificate = await selfSigned(['127.77.0.1']);
});

/** Starts a target that sends `head`, then `part` repeatedly, up to 20 MB. `taken`: bytes written so far. */
async function pouring(head: string, part: string, tls = false): Promise<Target & { taken: () => number }> {
  let taken = 0;
  const pour = (socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(head);
      const more = () => {
        while (!socket.destroyed && taken < 20 * MB && socket.write(part, 'latin1')) taken += part.length;
      };
      socket.on('drain', more);
      more();
    });
  };
  const target = tls ? await listening(createTls(certificate, pour), '127.77.0.1', 'https') : await rawTarget(pour);
  return Object.assign(target, { taken: () => taken });
}

const OPTIONS = { max_body_bytes: MB, find: { texts: ['not there'], status: 200 }, verify_tls: false };

describe.each([
  ['plain', false],
  ['TLS', true],
])('a hostile response over %s', (_how, tls) => {
  it.each<[string, string, string, RegExp]>([
    [
      'a body in chunks of a byte',
      CHUNKED,
      '1\r\na\r\n'.repeat(1000),
      /sends its body in pieces of less than 64 bytes on average: enable buffering in the server$/,
    ],
    [
      'chunks with long extensions',
      CHUNKED,
      `40;${'e'.repeat(8000)}\r\n${'a'.repeat(64)}\r\n`,
      /sends more headers, chunk sizes or trailers than content$/,
    ],
    [
      'interim responses without end',
      '',
      'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100),
      /sent more than 50 interim responses \(1xx\) and no final one$/,
    ],
    [
      'trailers without end',
      `${CHUNKED}1\r\na\r\n0\r\n`,
      'a: b\r\n'.repeat(1000),
      /sent more than 16 KB of headers$|than content$/,
    ],
  ])('is refused early: %s', async (_what, head, part, message) => {
    await using target = await pouring(head, part, tls);
    const error = await failure(get(target.url, OPTIONS));
    expect(error).toMatchObject({ kind: 'connect', answered: true, status: head === '' ? 0 : 200 });
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`127.77.0.1:${target.port}`);
    // Includes the bytes that are still in the buffers of both sockets.
    expect(target.taken()).toBeLessThan(10 * MB);
  });

  it('is not read beyond the headers if the body is not needed', async () => {
    await using target = await pouring(CHUNKED, '1\r\na\r\n'.repeat(1000), tls);
    expect(await get(target.url, { ...OPTIONS, max_body_bytes: 0 })).toMatchObject({ status: 200, body: '' });
    const other = { ...OPTIONS, find: { texts: ['a'], status: 404 } };
    const reply = await get(target.url, other);
    expect(reply).toMatchObject({ status: 200, body: '' });
    expect(reply.search).toBeUndefined();
  });

  it('is accepted with a few hundred small chunks', async () => {
    await using target = await pouring(CHUNKED, `${'1\r\na\r\n'.repeat(800)}6\r\nneedle\r\n0\r\n\r\n`, tls);
    const find = { texts: ['aneedle'], status: 200 };
    expect((await get(target.url, { ...OPTIONS, find })).search).toMatchObject({ found: find.texts });
  });
});
