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

/** Sends something in pieces, with a turn of the loop of everybody between them. */
const inPieces = async (socket: Socket, pieces: Iterable<string>, ms = 5) => {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece, 'latin1');
    await sleep(ms);
  }
};

describe('a tcp check with steps', () => {
  it('does one after the other, and succeeds when each has its answer', async () => {
    await using target = await dialogueTarget({
      greeting: '220 mx\r\n',
      answers: { 'EHLO a': '250-PIPELINING\r\n250 OK\r\n' },
    });
    const steps = [{ expect: '220' }, { send: 'EHLO a\r\n' }, { expect: '250 ' }];
    expect(await probe(target, steps)).toMatchObject(GOOD);
    expect(target.received).toEqual(['EHLO a\r\n']);
  });

  it('sends and expects any bytes, a character each', async () => {
    const heard: Buffer[] = [];
    await using target = await rawTarget((socket) => {
      socket.on('data', (piece) => {
        heard.push(piece);
        socket.write(Buffer.from([0xff, 0x00, 0x80]));
      });
    });
    expect(await probe(target, [{ send: '\u0000\u0004\u00ff' }, { expect: '\u00ff\u0000\u0080' }])).toMatchObject(GOOD);
    expect(Buffer.concat(heard)).toEqual(Buffer.from([0, 4, 255]));
  });

  it('finds an answer however it comes in pieces', async () => {
    await using target = await rawTarget((socket) => void inPieces(socket, 'garbage before SSH-2.0-OpenSSH\r\n'));
    expect(await probe(target, [{ expect: 'SSH-2.0-' }])).toMatchObject(GOOD);
  });

  it('looks behind what the step before has found', async () => {
    await using target = await rawTarget((socket) => void socket.write('one two'));
    expect(await probe(target, [{ expect: 'one' }, { expect: 'two' }])).toMatchObject(GOOD);
    await using other = await rawTarget((socket) => void socket.end('one two'));
    expect(await probe(other, [{ expect: 'two' }, { expect: 'one' }])).toMatchObject(
      wrong('it closed the connection at step 2 after 0 bytes'),
    );
  });

  it('finds an expression, and goes on behind it', async () => {
    await using target = await rawTarget((socket) => void inPieces(socket, 'SSH-2.0-OpenSSH_9.2p1\r\nnext'));
    const steps = [{ matches: '^SSH-2\\.0-OpenSSH_(9|1\\d)\\.' }, { expect: '2p1\r\n' }, { matches: '(?i)NEXT$' }];
    expect(await probe(target, steps)).toMatchObject(GOOD);
    await using other = await rawTarget((socket) => void socket.end('SSH-1.99-old\r\n'));
    expect(await probe(other, steps)).toMatchObject(
      wrong('it closed the connection at step 1 after 14 bytes: "SSH-1.99-old\\r\\n"'),
    );
  });

  it('looks for an expression in 32 KB of an answer', async () => {
    await using target = await rawTarget((socket) => void socket.write(`${'x'.repeat(32 * 1024)}ready`));
    expect(await probe(target, [{ matches: 'read[y]' }])).toMatchObject(
      wrong(`step 1: expected the answer to match "read[y]", got "${'x'.repeat(99)}…" (32768 bytes)`),
    );
  });

  it('says what it expected and what it got', async () => {
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

  it('shows in a trial what was said at each step', async () => {
    await using target = await dialogueTarget({ greeting: '220 mx\r\n', answers: { NOOP: '250 OK\r\n' } });
    const steps = [{ expect: '220' }, { send: 'NOOP\r\n' }, { expect: 'OK' }];
    expect((await probe(target, steps, { ...world, shows: true })).transcript).toEqual(['"220"', '" mx\\r\\n250 OK"']);
    expect((await probe(target, steps)).transcript).toBeUndefined();
  });

  it('repeats nothing of what it was told to send, but for commands', async () => {
    await using target = await rawTarget((socket) => {
      socket.on('data', (piece) => socket.end(`535 AUTH PLAIN failed for ${piece.toString().split(' ')[2]}`));
    });
    const outcome = await probe(target, [{ send: 'AUTH PLAIN AGFubgBodXNoaHVzaA==\r\n' }, { expect: '235' }]);
    expect(outcome.error_message).toContain('535 AUTH PLAIN failed for ********');
  });

  it('quotes no control characters', async () => {
    await using target = await rawTarget((socket) => void socket.end('\u0000\u001b[31m\u009b31m', 'latin1'));
    expect((await probe(target, [{ expect: 'ready' }])).error_message).toBe(
      'it closed the connection at step 1 after 10 bytes: "\\u0000\\u001b[31m\\u009b31m"',
    );
  });
});

describe('a peer of a tcp check that', () => {
  const expectsReady = [{ send: 'hello' }, { expect: 'ready' }];
  const short = probeWorld({ timeout_ms: 400 });

  it('says nothing is waited for until the time is over', async () => {
    await using target = await rawTarget(() => {});
    const outcome = await probe(target, expectsReady, short);
    expect(outcome).toMatchObject({ success: false, error_kind: 'timeout', unanswered: true });
    expect(outcome.error_message).toContain('waiting for the answer of step 2');
  });

  it('sends a byte now and then does not outlast the time', async () => {
    await using target = await rawTarget((socket) => void inPieces(socket, 'x'.repeat(100), 50));
    const outcome = await probe(target, expectsReady, short);
    expect(outcome.error_kind).toBe('protocol');
    expect(outcome.error_message).toMatch(/^step 2: expected the answer to contain "ready", got "x+" \(\d+ bytes?\)$/);
    expect(outcome.unanswered).toBeUndefined();
  });

  it('sends a gigabyte is read for 64 KB, and held in no more memory than that', async () => {
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
    // The rest is what the buffers of two sockets take.
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('closes without a word is told so', async () => {
    await using target = await rawTarget((socket) => socket.end());
    expect(await probe(target, [{ expect: 'ready' }])).toMatchObject({
      ...wrong('it closed the connection at step 1 after 0 bytes'),
      interrupted: true,
    });
  });

  it('says why before it closes is quoted, whichever step it was', async () => {
    await using target = await rawTarget((socket) => socket.end('554 no service for you\r\n'));
    for (const steps of [[{ expect: 'ready' }], [{ send: 'a' }, { expect: 'ready' }]]) {
      const outcome = await probe(target, steps);
      expect(outcome.error_message).toMatch(
        /^it closed the connection at step \d after 24 bytes: "554 no service for you/,
      );
    }
  });

  it('resets the connection is no fault of ours', async () => {
    await using target = await rawTarget((socket) => void setTimeout(() => socket.resetAndDestroy(), 20));
    expect(await probe(target, expectsReady)).toMatchObject(wrong('it closed the connection at step 2 after 0 bytes'));
  });
});
