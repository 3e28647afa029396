import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { disableAccount, enableAccount } from '#lib/access/change-account.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';

describe('temporarily rejected request', () => {
  let dir: string;
  let service: Service;
  let client: Client;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'fleetwatch-refusals-'));
    service = await startService({ dir });
    client = clientOf(service.url, service.adminKey);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('gets ACCOUNT_DISABLED with any key of a disabled account, until the account is enabled', async () => {
    const { id } = (await client.get('/v1/me')).body;
    const check = await newCheck(client);
    const scope = { ports: service.ports, keys: service.keys, tenant: id, origin: 'operator' } as const;
    await disableAccount(scope);
    for (const answer of [
      await client.get('/v1/me'),
      await client.post(`/v1/checks/${check.id}/heartbeat`),
      await client.get('/v1/nowhere'),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'ACCOUNT_DISABLED' } });
    }
    await enableAccount(scope);
    expect(await client.post(`/v1/checks/${check.id}/heartbeat`)).toMatchObject({ status: 201 });
  });

  it('gets UNAVAILABLE with Retry-After while the store rejects writes; the same push is accepted later', async () => {
    const check = await newCheck(client);
    const other = new DatabaseSync(join(dir, STORE_FILE));
    other.exec('BEGIN IMMEDIATE');
    const push = (): ReturnType<Client['send']> =>
      client.send('POST', `/v1/checks/${check.id}/heartbeat`, { headers: { 'idempotency-key': 'beat-1' } });
    const refused = await push();
    other.exec('ROLLBACK');
    other.close();
    expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);

    const taken = await push();
    expect(taken.status).toBe(201);
    expect((await push()).body).toEqual(taken.body);
    expect((await client.get(`/v1/checks/${check.id}/results`)).body.results).toHaveLength(1);
  });
});
