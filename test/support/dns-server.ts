import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ipv6Groups } from '#lib/platform/ipv6.ts';

/** A subset of RFC 1035: one question per query; only the owner names of records are compressed. */

const TYPE = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, CAA: 257 } as const;
export type DnsType = keyof typeof TYPE;

const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

/** Response of the server to a question; `records` are in the text form of a zone file. */
export type DnsReply =
  | { records: { type: DnsType; text: string }[]; truncate_udp?: boolean }
  | { rcode: keyof typeof RCODE }
  | 'no_response'
  | 'garbage';

export type DnsServer = AsyncDisposable & {
  host: string;
  port: number;
  /** `host:port` */
  address: string;
  /** Received queries, in order: `udp A example.com`. */
  asked: string[];
};

/** Starts a DNS server on UDP and TCP of one port. */
export async function dnsServer(
  answer: (name: string, type: DnsType) => DnsReply,
  host = '127.77.0.53',
): Promise<DnsServer> {
  const asked: string[] = [];
  const respond = (query: Buffer, transport: 'udp' | 'tcp'): Buffer | undefined => {
    const { name, type, question } = parseQuestion(query);
    asked.push(`${transport} ${type} ${name}`);
    const reply = answer(name, type);
    if (reply === 'no_response') return undefined;
    if (reply === 'garbage') return Buffer.concat([query.subarray(0, 2), Buffer.from('not dns at all, sorry')]);
    if ('rcode' in reply) return message(query, question, RCODE[reply.rcode], [], false);
    const truncated = transport === 'udp' && reply.truncate_udp === true;
    return message(query, question, RCODE.NOERROR, truncated ? [] : reply.records, truncated);
  };

  const tcp = createServer((socket) => answerTcp(socket, (query) => respond(query, 'tcp')));
  await new Promise<void>((resolve) => tcp.listen(0, host, resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', (query, peer) => {
    const response = respond(query, 'udp');
    if (response) udp.send(response, peer.port, peer.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, host, resolve));

  return {
    host,
    port,
    address: `${host}:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

function answerTcp(socket: Socket, respond: (query: Buffer) => Buffer | undefined): void {
  let received = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const response = respond(received.subarray(2, end));
      received = received.subarray(end);
      if (response) socket.write(Buffer.concat([uint16(response.length), response]));
    }
  });
}

function parseQuestion(query: Buffer): { name: string; type: DnsType; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] as number; length > 0; length = query[at] as number) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = query.readUInt16BE(at + 1);
  const type = (Object.keys(TYPE) as DnsType[]).find((name) => TYPE[name] === code);
  if (!type) throw new Error(`The test's DNS server does not support the record type ${code}.`);
  return { name: labels.join('.').toLowerCase(), type, question: query.subarray(12, at + 5) };
}

function message(
  query: Buffer,
  question: Buffer,
  rcode: number,
  records: { type: DnsType; text: string }[],
  truncated: boolean,
): Buffer {
  const flags = 0x8180 | (truncated ? 0x0200 : 0) | rcode;
  const header = Buffer.concat([query.subarray(0, 2), ...[flags, 1, records.length, 0, 0].map(uint16)]);
  const responses = records.map(({ type, text }) => {
    const data = encode(type, text);
    // A pointer to the name of the question; class IN; a minute to live.
    return Buffer.concat([uint16(0xc00c), uint16(TYPE[type]), uint16(1), uint32(60), uint16(data.length), data]);
  });
  return Buffer.concat([header, question, ...responses]);
}

function encode(type: DnsType, text: string): Buffer {
  const parts = text.split(' ');
  const [a = '', b = '', c = '', d = ''] = parts;
  switch (type) {
    case 'A':
      return Buffer.from(text.split('.').map(Number));
    case 'AAAA':
      return Buffer.concat(ipv6Groups(text).map((group) => uint16(Number.parseInt(group, 16))));
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return domain(text);
    case 'MX':
      return Buffer.concat([uint16(Number(a)), domain(b)]);
    case 'SRV':
      return Buffer.concat([...[a, b, c].map((part) => uint16(Number(part))), domain(d)]);
    case 'SOA':
      return Buffer.concat([domain(a), domain(b), ...parts.slice(2).map((part) => uint32(Number(part)))]);
    case 'TXT':
      return Buffer.concat((text.match(/[\s\S]{1,255}/g) ?? ['']).map(counted));
    case 'CAA':
      return Buffer.concat([
        Buffer.from([Number(a)]),
        counted(b),
        Buffer.from(parts.slice(2).join(' ').replaceAll('"', '')),
      ]);
  }
}

const counted = (text: string): Buffer => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
const domain = (name: string): Buffer =>
  Buffer.concat([...name.replace(/\.$/, '').split('.').filter(Boolean).map(counted), Buffer.from([0])]);

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
