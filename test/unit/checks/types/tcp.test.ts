import { expect, it } from 'vitest';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';
import { closedPort, rawTarget } from '#test/support/socket-target.ts';
import { stalledListener } from '#test/support/stalled-listener.ts';

const probe = (host: string, port: number, world = probeWorld()) =>
  probeCheck({ check_type: 'tcp', config: { host, port } }, world);

it('succeeds if the connection is established, even without data', async () => {
  await using target = await rawTarget(() => {});
  expect(await probe(target.host, target.port)).toMatchObject({
    success: true,
    status_code: 0,
    error_kind: null,
    error_message: '',
  });
});

it('succeeds if the peer closes the connection at once', async () => {
  await using target = await rawTarget((socket) => socket.destroy());
  expect(await probe(target.host, target.port)).toMatchObject({ success: true });
});

it('closes its connection', async () => {
  let closed = false;
  await using target = await rawTarget((socket) =>
    socket.resume().on('close', () => {
      closed = true;
    }),
  );
  await probe(target.host, target.port);
  await expect.poll(() => closed).toBe(true);
});

it('fails if no process listens on the port', async () => {
  const port = await closedPort();
  const outcome = await probe('127.77.0.1', port);
  expect(outcome).toMatchObject({
    success: false,
    error_kind: 'connect',
    error_message: `connection refused by 127.77.0.1:${port}: nothing listens on that port`,
  });
  expect(outcome.unanswered).toBeUndefined();
});

it('fails at its deadline without a response', async () => {
  await using stalled = await stalledListener();
  expect(await probe(stalled.host, stalled.port, probeWorld({ timeout_ms: 100 }))).toMatchObject({
    success: false,
    error_kind: 'timeout',
    error_message: `no answer within 100 ms (connecting to ${stalled.host}:${stalled.port})`,
    unanswered: true,
  });
});

it.each(['127.0.0.1', '2130706433', '127.1', 'localhost', '::1', '169.254.169.254'])(
  'refuses %s if only public hosts are allowed',
  async (host) => {
    const outcome = await probe(host, 22);
    expect(outcome).toMatchObject({ success: false, error_kind: 'egress' });
    expect(outcome.error_message).toMatch(/^refused: /);
    expect(outcome.unanswered).toBeUndefined();
  },
);

it('connects by name', async () => {
  await using target = await rawTarget(() => {});
  const world = probeWorld({ resolve: async () => ['127.77.0.1'] });
  expect(await probe('db.example.org', target.port, world)).toMatchObject({ success: true });
});
