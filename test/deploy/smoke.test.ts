import { expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { run } from './run.ts';

it('passes the smoke test on the deployed service', async () => {
  const { key } = await newTenant();
  // Functions cannot reach 127.0.0.1, the address of the emulator, and the emulator buffers streams.
  await using peer = await httpTarget((_request, response) => void response.end('ok'));
  const away = ['--target', peer.url, '--receiver', `${peer.url}/ops`, '--no-stream', '--patience', '80'];
  const words = ['infra/smoke/main.ts', (await target()).url, key, ...away];
  const { code, out } = await run(process.execPath, words, { limitSeconds: 95 });
  expect(out).toMatch(/^9 passed, 0 failed$/m);
  expect(code).toBe(0);
});
