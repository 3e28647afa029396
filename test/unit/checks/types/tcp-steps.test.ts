import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import { dialogueTarget } from '#test/support/dialogue-target.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { rawTarget } from '#test/support/socket-target.ts';

type Shown = ProbeOutcome & { transcript?: string[] };

const world = probeWorld({ timeout_ms: 2_000 });
const probe = (at: { host: string; port: number }, steps: object[], given = world): Promise<Shown> =>
  probeCheck({ check_type: 'tcp', config: { host: at.host, port: at.port, steps } }, given);

const GOOD = { success: true, error_kind: null, error_message: '' };
const wrong = (error_message: string) => ({ success: false, error_kind: 'protocol', error_message });

/** Sends data in pieces, each followed by a pause of `ms`. */
const inPieces = async (socket: Socket, pieces: Iterable<string>, ms = 5) => {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece, 'latin1');
    await sleep(ms);
  }
};

describe('a tcp check with steps', () => {
  it('performs the steps in order, and succeeds if each has its response', async () => {
    await using target = await dialogueTarget({
      greeting: '220 mx\r\n',
      answers: { 'EHLO a': '250-PIPELINING\r\n250 OK\r\n' },
    });
    const steps = [{ expect: '220' }, { send: 'EHLO a\r\n' }, { expect: '250 ' }];
    expect(await probe(target, steps)).toMatchObject(GOOD);
    expect(target.received).toEqual(['EHLO a\r\n']);
  });

  it('sends and expects arbitrary bytes, one per character', async () => {
    const received: Buffer[] = [];
    await using target = await rawTarget((socket) => {
      socket.on('data', (piece) => {
        received.push(piece);
        socket.write(Buffer.from([0xff, 0x00, 0x80]));
      });
    });
    expect(await probe(target, [{ send: '\u0000\u0004\u00ff' }, { expect: '\u00ff\u0000\u0080' }])).toMatchObject(GOOD);
    expect(Buffer.concat(received)).toEqual(Buffer.from([0, 4, 255]));
  });

  it('finds a response that arrives in pieces', async () => {
    await using target = await rawTarget((socket) => void inPieces(socket, 'garbage before SSH-2.0-OpenSSH\r\n'));
    expect(await probe(target, [{ expect: 'SSH-2.0-' }])).toMatchObject(GOOD);
  });

  it('searches after the match of the previous step', async () => {
    await using target = await rawTarget((socket) => void socket.write('one two'));
    expect(await probe(target, [{ expect: 'one' }, { expect: 'two' }])).toMatchObject(GOOD);
    await using other = await rawTarget((socket) => void socket.end('one two'));
    expect(await probe(other, [{ expect: 'two' }, { expect: 'one' }])).toMatchObject(
      wrong('it closed the connection at step 2 after 0 bytes'),
    );
  });

  it('finds an expression and continues after its match', async () => {
    await using target = await rawTarget((socket) => void inPieces(socket, 'SSH-2.0-OpenSSH_9.2p1\r\nnext'));
    const steps = [{ matches: '^SSH-2\\.0-OpenSSH_(9|1\\d)\\.' }, { expect: '2p1\r\n' }, { matches: '(?i)NEXT$' }];
    expect(await probe(target, steps)).toMatchObject(GOOD);
    await using other = await rawTarget((socket) => void socket.end('SSH-1.99-old\r\n'));
    expect(await probe(other, steps)).toMatchObject(
      wrong('it closed the connection at step 1 after 14 bytes: "SSH-1.99-old\\r\\n"'),
    );
  });

  it('searches for an expression in the first 32 KB of a response', async () => {
    await using target = await rawTarget((socket) => void socket.write(`${'x'.repeat(32 * 1024)}ready`));
    expect(await probe(target, [{ matches: 'read[y]' }])).toMatchObject(
      wrong(`step 1: expected the answer to match "read[y]", got "${'x'.repeat(99)}…" (32768 bytes)`),
    );
  });

  it('reports the expected and the received data', async () => {
    await using target = await dialogueTarget({
      greeting: '220 mx\r\n',
      answers: { EHLO: '250-PIPELINING\r\n250 SMTPUTF8\r\n' },
    });
    const steps = [{ send: 'EHLO\r\n' }, { expect: 'STARTTLS' }];
    expect(await probe(target, steps, probeWorld({ timeout_ms: 300 }))).toMatchObject({
      ...wrong(
        'step 2: expected the answer to contain "STARTTLS", got "220 mx\\r\\n250-PIPELINING\\r\\n250 SMTPUTF8\\r\\n" (38 bytes)',
      ),
      interrupted: true,
    });
  });

  it('shows the response to each step in a settings test', async () => {
    await using target = await dialogueTarget({ greeting: '220 mx\r\n', answers: { NOOP: '250 OK\r\n' } });
    const steps = [{ expect: '220' }, { send: 'NOOP\r\n' }, { expect: 'OK' }];
    expect((await probe(target, steps, { ...world, withDetails: true })).transcript).toEqual([
      '"220"',
      '" mx\\r\\n250 OK"',
    ]);
    expect((await probe(target, steps)).transcript).toBeUndefined();
  });

  it('redacts sent data that the target repeats, except commands', async () => {
    await using target = await rawTarget((socket) => {
      socket.on('data', (piece) => socket.end(`535 AUTH PLAIN failed for ${piece.toString().split(' ')[2]}`));
    });
    const outcome = await probe(target, [{ send: 'AUTH PLAIN AGFubgBodXNoaHVzaA==\r\n' }, { expect: '235' }]);
    expect(outcome.error_message).toContain('535 AUTH PLAIN failed for ********');
  });

  it('quotes control characters as escapes', async () => {
    await using target = await rawTarget((socket) => void socket.end('\u0000\u001b[31m\u009b31m', 'latin1'));
    expect((await probe(target, [{ expect: 'ready' }])).error_message).toBe(
      'it closed the connection at step 1 after 10 bytes: "\\u0000\\u001b[31m\\u009b31m"',
    );
  });
});

describe('a tcp check of a faulty peer', () => {
  const expectsReady = [{ send: 'hello' }, { expect: 'ready' }];
  const short = probeWorld({ timeout_ms: 400 });

  it('waits for a silent peer until the timeout', async () => {
    await using target = await rawTarget(() => {});
    const outcome = await probe(target, expectsReady, short);
    expect(outcome).toMatchObject({ success: false, error_kind: 'timeout', unanswered: true });
    expect(outcome.error_message).toContain('waiting for the answer of step 2');
  });

  it('is not prolonged by single bytes', async () => {
    await using target = await rawTarget((socket) => void inPieces(socket, 'x'.repeat(100), 50));
    const outcome = await probe(target, expectsReady, short);
    expect(outcome.error_kind).toBe('protocol');
    expect(outcome.error_message).toMatch(/^step 2: expected the answer to contain "ready", got "x+" \(\d+ bytes?\)$/);
    expect(outcome.unanswered).toBeUndefined();
  });

  it('reads only 64 KB of a gigabyte', async () => {
    let written = 0;
    await using target = await rawTarget((socket) => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (written < 1024 * 1024 * 1024 && !socket.destroyed) {
          written += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
      };
      more();
    });
    expect(await probe(target, [{ expect: 'ready' }])).toMatchObject(
      wrong(`step 1: expected the answer to contain "ready", got "${'x'.repeat(99)}…" (65536 bytes)`),
    );
    // The peer writes more than is read, into the buffers of both sockets.
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('reports a closed connection', async () => {
    await using target = await rawTarget((socket) => socket.end());
    expect(await probe(target, [{ expect: 'ready' }])).toMatchObject({
      ...wrong('it closed the connection at step 1 after 0 bytes'),
      interrupted: true,
    });
  });

  it('quotes the last data of a peer that closes, at any step', async () => {
    await using target = await rawTarget((socket) => socket.end('554 no service for you\r\n'));
    for (const steps of [[{ expect: 'ready' }], [{ send: 'a' }, { expect: 'ready' }]]) {
      const outcome = await probe(target, steps);
      expect(outcome.error_message).toMatch(
        /^it closed the connection at step \d after 24 bytes: "554 no service for you/,
      );
    }
  });

  it('reports a reset connection as a failure of the target', async () => {
    await using target = await rawTarget((socket) => void setTimeout(() => socket.resetAndDestroy(), 20));
    expect(await probe(target, expectsReady)).toMatchObject(wrong('it closed the connection at step 2 after 0 bytes'));
  });
});
