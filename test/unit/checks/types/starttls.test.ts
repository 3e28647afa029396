import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Authority, type KeyAndCertificate, makeAuthority, selfSigned } from '#test/support/certificates.ts';
import { dialogueTarget } from '#test/support/dialogue-target.ts';
import { peerPython, startSmtp } from '#test/support/peers/peers.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { rawTarget } from '#test/support/socket-target.ts';
import { tlsTarget } from '#test/support/tls-server.ts';

const DAY = 86_400_000;
const NAME = 'mail.example.org';

let authority: Authority;
let certificate: KeyAndCertificate;
beforeAll(async () => {
  authority = await makeAuthority();
  certificate = await authority.issue({ names: [NAME], to: new Date(Date.now() + 30.5 * DAY) });
  setDefaultCACertificates([...getCACertificates('default'), authority.cert]);
});

const world = probeWorld({ resolve: async () => ['127.77.0.1'], timeout_ms: 2_000 });
const tls = (port: number, config: object) =>
  probeCheck({ check_type: 'tls', config: { host: NAME, port, ...config } }, world);
const tcp = (port: number, config: object, given = world) =>
  probeCheck({ check_type: 'tcp', config: { host: NAME, port, ...config } }, given);

const SMTP = {
  greeting: '220-mx\r\n220 ready\r\n',
  answers: { 'EHLO fleetwatch': '250-SIZE 1000\r\n250-STARTTLS\r\n250 HELP\r\n', STARTTLS: '220 go ahead\r\n' },
  tlsAfter: 'STARTTLS',
};
const POSTGRES = '\u0000\u0000\u0000\u0008\u0004\u00d2\u0016\u002f';
const PROTOCOLS: Record<string, Omit<typeof SMTP, 'greeting' | 'answers'> & { greeting?: string; answers: object }> = {
  smtp: SMTP,
  imap: {
    greeting: '* OK IMAP4rev2 ready\r\n',
    answers: { 'a1 STARTTLS': '* CAPABILITY IMAP4rev2\r\na1 OK go\r\n' },
    tlsAfter: 'a1 STARTTLS',
  },
  pop3: { greeting: '+OK ready\r\n', answers: { STLS: '+OK go\r\n' }, tlsAfter: 'STLS' },
  ftp: { greeting: '220 (vsFTPd)\r\n', answers: { 'AUTH TLS': '234 go\r\n' }, tlsAfter: 'AUTH TLS' },
  postgres: { answers: { [POSTGRES]: 'S' }, tlsAfter: POSTGRES },
};

describe('a tls check with starttls', () => {
  it.each(Object.keys(PROTOCOLS))('starts TLS by the rules of %s and checks the certificate', async (starttls) => {
    await using target = await dialogueTarget({ ...PROTOCOLS[starttls], certificate } as never);
    expect(await tls(target.port, { starttls })).toMatchObject({ success: true, error_message: '', days_left: 30 });
    expect(await tls(target.port, { starttls, min_days_remaining: 60 })).toMatchObject({
      success: false,
      error_kind: 'tls',
      error_message: expect.stringMatching(
        /^certificate expires on .*, in 30 days; at least 60 are required: renew it$/,
      ),
    });
    expect(await tls(target.port, { starttls, servername: 'other.example.org' })).toMatchObject({
      error_kind: 'tls',
      error_message: `certificate is for ${NAME}, not other.example.org`,
    });
  });

  it.each<[string, string, object, string]>([
    [
      'a mail server without it',
      'smtp',
      { greeting: '220 mx\r\n', answers: { 'EHLO fleetwatch': '250 HELP\r\n' } },
      'smtp step 3: expected the answer to contain "STARTTLS", got "250 HELP\\r\\n" (10 bytes)',
    ],
    [
      'a mail server that rejects all clients',
      'smtp',
      { greeting: '554 no\r\n', answers: {} },
      'smtp step 1: expected the answer to be 220, got "554 no\\r\\n" (8 bytes)',
    ],
    [
      'an IMAP server that refuses',
      'imap',
      { greeting: '* OK\r\n', answers: { 'a1 STARTTLS': 'a1 NO not here\r\n' } },
      'imap step 3: expected the answer to be OK, got "a1 NO not here\\r\\n" (16 bytes)',
    ],
    [
      'a POP3 server that refuses',
      'pop3',
      { greeting: '+OK\r\n', answers: { STLS: '-ERR what\r\n' } },
      'pop3 step 3: expected the answer to be +OK, got "-ERR what\\r\\n" (11 bytes)',
    ],
    [
      'an FTP server that refuses',
      'ftp',
      { greeting: '220 hi\r\n', answers: { 'AUTH TLS': '530 no\r\n' } },
      'ftp step 3: expected the answer to be 234, got "530 no\\r\\n" (8 bytes)',
    ],
    [
      'PostgreSQL with TLS switched off',
      'postgres',
      { answers: { [POSTGRES]: 'N' } },
      'postgres step 2: expected the answer to be S, got "N" (1 byte)',
    ],
  ])('reports %s at once', async (_what, starttls, dialogue, error_message) => {
    await using target = await dialogueTarget(dialogue as never);
    expect(await tls(target.port, { starttls })).toMatchObject({
      success: false,
      error_kind: 'protocol',
      error_message,
    });
  });

  it('reports a server of another protocol', async () => {
    await using target = await rawTarget((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await tls(target.port, { starttls: 'smtp' })).toMatchObject({
      error_kind: 'protocol',
      error_message: 'it closed the connection at smtp step 1 after 28 bytes: "HTTP/1.1 400 Bad Request\\r\\n\\r\\n"',
    });
  });

  it('reports a connection closed during STARTTLS', async () => {
    await using target = await rawTarget((socket) => {
      socket.write('+OK ready\r\n');
      socket.once('data', () => {
        socket.write('+OK go\r\n');
        socket.once('data', () => socket.destroy());
      });
    });
    expect(await tls(target.port, { starttls: 'pop3' })).toMatchObject({
      error_kind: 'tls',
      error_message: expect.stringMatching(/closed the connection during the TLS handshake$/),
    });
  });

  it('reports a server that continues in plain text', async () => {
    await using target = await rawTarget((socket) => {
      socket.write('+OK ready\r\n');
      socket.on('data', () => socket.write('+OK go\r\n'));
    });
    expect(await tls(target.port, { starttls: 'pop3' })).toMatchObject({
      error_kind: 'tls',
      error_message: expect.stringMatching(/does not speak TLS/),
    });
  });
});

const STEPS = [
  { expect: '220 ' },
  { send: 'EHLO fleetwatch\r\n' },
  { expect: 'STARTTLS' },
  { send: 'STARTTLS\r\n' },
  { expect: '220' },
  { starttls: true },
  { expect: 'within TLS' },
  { send: 'EHLO fleetwatch\r\n' },
  { expect: '250 HELP' },
];

describe('a tcp check with TLS', () => {
  it('uses it from the start', async () => {
    await using target = await tlsTarget(certificate);
    expect(await tcp(target.port, { tls: true })).toMatchObject({ success: true });
    expect(await tcp(target.port, { tls: true, servername: 'other.example.org' })).toMatchObject({
      success: false,
      error_kind: 'tls',
      error_message: `certificate is for ${NAME}, not other.example.org`,
    });
  });

  it('trusts a self-signed certificate only if verification is disabled', async () => {
    await using target = await tlsTarget(await selfSigned([NAME]));
    expect(await tcp(target.port, { tls: true })).toMatchObject({
      success: false,
      error_kind: 'tls',
      error_message: 'certificate is self-signed: no authority vouches for it',
    });
    expect(await tcp(target.port, { tls: true, verify_tls: false })).toMatchObject({ success: true });
  });

  it('starts TLS within a conversation and continues in it', async () => {
    await using target = await dialogueTarget({ ...SMTP, certificate });
    expect(await tcp(target.port, { steps: STEPS })).toMatchObject({ success: true, error_message: '' });
    expect(await tcp(target.port, { steps: STEPS, servername: 'a.example.org' })).toMatchObject({ error_kind: 'tls' });
  });

  it('waits briefly for the rest of a line before it starts TLS', async () => {
    const late = { ...SMTP, answers: { ...SMTP.answers, STARTTLS: '220' }, certificate };
    await using target = await dialogueTarget(late);
    expect(await tcp(target.port, { steps: STEPS.slice(0, 6) })).toMatchObject({ success: true });
    let sent = '';
    let sentBeforeTls: string | undefined;
    await using slow = await rawTarget((socket) => {
      const write = (text: string) => {
        sent += text;
        socket.write(text);
      };
      socket.setNoDelay(true);
      write('220');
      setTimeout(() => write(' ready'), 20);
      setTimeout(() => write('\r\n'), 40);
      socket.on('data', () => {
        sentBeforeTls = sent;
        socket.end('no TLS');
      });
    });
    expect(await tcp(slow.port, { steps: [{ expect: '220' }, { starttls: true }] })).toMatchObject({
      error_kind: 'tls',
      error_message: expect.stringMatching(/does not speak TLS/),
    });
    expect(sentBeforeTls).toBe('220 ready\r\n');
  });
});

// The tests above use simulated servers, so they also run if the real one is not installed.
describe.skipIf(!peerPython())('a real mail server (aiosmtpd)', () => {
  it('accepts TLS from a tls check and from the steps of a tcp check', async () => {
    await using peer = await startSmtp(certificate);
    expect(await tls(peer.port, { starttls: 'smtp' })).toMatchObject({
      success: true,
      error_message: '',
      days_left: 30,
    });
    const steps = [
      ...STEPS.slice(0, 6),
      { send: 'EHLO fleetwatch\r\n' },
      { expect: '250 ' },
      { send: 'QUIT\r\n' },
      { expect: '221' },
    ];
    expect(await tcp(peer.port, { steps })).toMatchObject({ success: true, error_message: '' });
    expect(await tcp(peer.port, { steps: [{ expect: '221' }] })).toMatchObject({ success: false });
  });
});
