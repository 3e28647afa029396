import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf, failure } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';

/** Body larger than API Gateway allows. On one machine, only the code that reads a body limits its size. */
const huge = Buffer.alloc(11 * 1024 * 1024, 'x');

describe('body of 11 MB', () => {
  let service: Service;
  let client: Client;
  beforeAll(async () => {
    service = await startService();
    client = clientOf(service.url, service.adminKey);
  });
  afterAll(() => service.stop());

  it('is accepted with a heartbeat, whose body is never read', async () => {
    const check = await newCheck(client);
    const beat = await client.send('POST', `/v1/checks/${check.id}/heartbeat`, { body: huge });
    expect(beat).toMatchObject({ status: 201, body: { success: true } });
    expect((await client.get(`/v1/checks/${check.id}/results`)).body.results).toHaveLength(1);
  });

  it('is rejected only if it is read', async () => {
    const check = await newCheck(client);
    const send = (path: string, from = client) => from.send('POST', path, { body: huge });
    expect(await send('/v1/blueprints', clientOf(service.url, ''))).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(await send('/v1/nowhere')).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await send('/v1/me')).toMatchObject(failure(405, 'METHOD_NOT_ALLOWED'));
    expect(await send('/v1/checks/none/results')).toMatchObject(failure(404, 'NOT_FOUND'));
    for (const path of ['/v1/blueprints', `/v1/checks/${check.id}/results`, '/v1/mcp']) {
      expect(await send(path)).toMatchObject(failure(413, 'PAYLOAD_TOO_LARGE'));
    }
  });
});
