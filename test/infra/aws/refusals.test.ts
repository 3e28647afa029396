import { expect, it } from 'vitest';
import { create } from '#functions/api.ts';
import type { Line } from '#test/support/log.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

/** Creates a request that came through CloudFront and the gateway. */
const eventOf = (method: string, path: string, key: string, forwarded = '203.0.113.9, 198.51.100.7') => ({
  rawPath: path,
  rawQueryString: '',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-forwarded-for': forwarded },
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  isBase64Encoded: false,
  requestContext: { requestId: 'r1', http: { method, path, sourceIp: '198.51.100.7' } },
});

function service() {
  const world = memoryWorld();
  const { lines } = world.ports.log as unknown as { lines: Line[] };
  return { world, lines, answer: create(world.ports) };
}

it.each(['/v1/me', '/v1/mcp'])('logs the rejected caller at %s, and never the key', async (path) => {
  const { answer, lines } = service();
  expect((await answer(eventOf('POST', path, 'fw_wrong'))).statusCode).toBe(401);
  expect(lines).toMatchObject([
    {
      level: 'info',
      message: 'request refused',
      fields: {
        request_id: 'r1',
        method: 'POST',
        path,
        status: 401,
        code: 'UNAUTHORIZED',
        forwarded_for: '203.0.113.9, 198.51.100.7',
      },
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('fw_wrong');
});

it('shortens a long forged address list and keeps the entries of the proxies', async () => {
  const { answer, lines } = service();
  await answer(eventOf('GET', '/v1/me', 'fw_wrong', `${'9.9.9.9, '.repeat(500)}203.0.113.9`));
  const { forwarded_for, source_ip } = lines[0]!.fields;
  expect(forwarded_for).toHaveLength(200);
  expect(forwarded_for).toMatch(/, 203\.0\.113\.9$/);
  expect(source_ip).toBe('198.51.100.7');
});

it('does not log accepted callers', async () => {
  const { world, answer, lines } = service();
  const { key } = await world.account();
  expect((await answer(eventOf('GET', '/v1/me', key.key))).statusCode).toBe(200);
  expect((await answer(eventOf('GET', '/v1/checks/chk_none', key.key))).statusCode).toBe(404);
  expect(lines).toEqual([]);
});
