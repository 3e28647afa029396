import { expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { run } from './run.ts';

it('the smoke test finds the deployed service well', async () => {
  const { key } = await newTenant();
  // No function reaches the loopback address that the emulator answers at, and no stream comes out of it.
  await using peer = await httpTarget((_request, response) => void response.end('ok'));
  const away = ['--target', peer.url, '--receiver', `${peer.url}/ops`, '--no-stream', '--patience', '80'];
  const words = ['infra/smoke/main.ts', (await target()).url, key, ...away];
  const { code, out } = await run(process.execPath, words, { limitSeconds: 95 });
  expect(out).toMatch(/^9 passed, 0 failed$/m);
  expect(code).toBe(0);
});
