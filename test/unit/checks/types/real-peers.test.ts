import { describe, expect, it } from 'vitest';
import { peerProgram, startRedis, startSshd } from '#test/support/peers/peers.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';

const redis = peerProgram('redis-server');
const sshd = peerProgram('sshd');
const world = probeWorld({ timeout_ms: 5_000 });

const tcp = ({ host, port }: { host: string; port: number }, steps: object[]) =>
  probeCheck({ check_type: 'tcp', config: { host, port, steps } }, world);

describe.skipIf(!redis)('a tcp check of a real redis-server', () => {
  it('expects its PONG and reports another response', async () => {
    await using peer = await startRedis(redis!);
    expect(await tcp(peer, [{ send: 'PING\r\n' }, { expect: '+PONG' }])).toMatchObject({ success: true });
    expect(await tcp(peer, [{ send: 'PING\r\nQUIT\r\n' }, { expect: '+PANG' }])).toMatchObject({
      success: false,
      error_kind: 'protocol',
      error_message: expect.stringMatching(/^it closed the connection at step 2 after \d+ bytes: "\+PONG/),
    });
  });
});

describe.skipIf(!sshd)('a tcp check of a real sshd', () => {
  it('reads its banner', async () => {
    await using peer = await startSshd(sshd!);
    expect(await tcp(peer, [{ expect: 'SSH-2.0-' }])).toMatchObject({ success: true });
    expect(await tcp(peer, [{ expect: 'SSH-2.0-' }, { send: 'nonsense\r\n' }, { expect: 'welcome' }])).toMatchObject({
      success: false,
      error_kind: 'protocol',
    });
  });
});
