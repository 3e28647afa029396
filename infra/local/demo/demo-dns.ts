import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export const DEMO_ADDRESS = '192.0.2.10';

const HEADER_BYTES = 12;

/** Starts a DNS server that returns one A record for every question (RFC 1035). */
export async function startDemoDns(): Promise<{ server: string; stop(): void }> {
  const socket = createSocket('udp4', (query, peer) => {
    const endOfName = query.indexOf(0, HEADER_BYTES);
    if (endOfName < 0) return;
    const question = query.subarray(HEADER_BYTES, endOfName + 5);
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    // Authoritative response, one question, one answer.
    header.writeUInt16BE(0x8580, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(1, 6);
    // The name of the question, A, IN, 5 s, 4 bytes.
    const record = Buffer.from([
      0xc0,
      HEADER_BYTES,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      5,
      0,
      4,
      ...DEMO_ADDRESS.split('.').map(Number),
    ]);
    socket.send(Buffer.concat([header, question, record]), peer.port, peer.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.bind(0, '127.0.0.1', resolve);
  });
  const { address, port } = socket.address() as AddressInfo;
  return { server: `${address}:${port}`, stop: () => socket.close() };
}
