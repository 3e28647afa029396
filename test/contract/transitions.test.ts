import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let client: Client & { id: string };
beforeAll(async () => {
  client = await newTenant();
});

const push = async (id: string, success: boolean, error_message = '') =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1, error_message }), 201);

describe('GET /v1/checks/{id}/transitions', () => {
  it('returns all facts of a state change', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
    await push(id, false, 'disk full');
    const [transition, ...more] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    expect(more).toEqual([]);
    expect(transition).toEqual({
      id: expect.stringMatching(/^trn_[0-9a-z]+$/),
      transition_id: transition.id,
      entity_id: entity.id,
      entity_name: entity.name,
      blueprint_slug: 'service',
      entity_slug: entity.slug,
      check_id: id,
      tenant_id: client.id,
      from_state: 'unknown',
      to_state: 'down',
      check_from_state: 'unknown',
      check_to_state: 'down',
      timestamp: expect.stringMatching(TIME),
      outage_started_at: expect.stringMatching(TIME),
      cause: 'result',
      error_message: 'disk full',
      alert: {
        decision: 'skipped',
        reason: 'no_channels',
        deliveries: [],
        urgency: 'high',
        attributed_to: null,
        facts: { channels: 0 },
        decided_at: transition.timestamp,
      },
    });
  });

  it('returns an unbroken chain of changes, newest first, in pages of any size', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    for (let i = 0; i < 9; i++) await push(id, i % 2 === 0);
    const all = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    expect(all).toHaveLength(9);
    for (let i = 0; i + 1 < all.length; i++) {
      expect(all[i].check_from_state).toBe(all[i + 1].check_to_state);
      expect(all[i].timestamp > all[i + 1].timestamp).toBe(true);
    }
    for (const limit of [1, 4, 9]) {
      expect(await everything(client, `/v1/checks/${id}/transitions?limit=${limit}`)).toEqual(all);
    }
  });
});

describe('GET /v1/status/transitions', () => {
  it('is the feed of all entities, newest first', async () => {
    const fresh = await newTenant();
    const made: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { id } = await newCheck(fresh, { failure_threshold: 1 });
      got(await fresh.post(`/v1/checks/${id}/heartbeat`), 201);
      made.unshift(id);
    }
    const all = got(await fresh.get('/v1/status/transitions'), 200);
    expect(new Set(all.map((transition: { check_id: string }) => transition.check_id))).toEqual(new Set(made));
    const times = all.map((transition: { timestamp: string }) => transition.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    for (const limit of [1, 4, 6]) {
      expect(await everything(fresh, `/v1/status/transitions?limit=${limit}`)).toEqual(all);
    }
    const [own] = got(await fresh.get(`/v1/checks/${made[0]}/transitions`), 200);
    expect(all).toContainEqual(own);
  });

  it('returns fifty by default', async () => {
    const fresh = await newTenant();
    const { id } = await newCheck(fresh, { failure_threshold: 1 });
    for (let i = 0; i < 53; i++) {
      got(await fresh.post(`/v1/checks/${id}/results`, { success: i % 2 === 0, latency_ms: 1 }), 201);
    }
    const page = await fresh.get('/v1/status/transitions');
    expect(page.body).toHaveLength(50);
    expect(page.headers.get('link')).toContain('rel="next"');
    expect(got(await fresh.get('/v1/status/transitions?limit=2000'), 200)).toHaveLength(53);
  });

  it('keeps the history of a deleted check, and nothing of a deleted entity', async () => {
    const fresh = await newTenant();
    const entity = await newEntity(fresh);
    const { id } = await newCheck(fresh, { entity_id: entity.id });
    got(await fresh.post(`/v1/checks/${id}/heartbeat`), 201);
    await fresh.del(`/v1/checks/${id}`);
    const causes = got(await fresh.get('/v1/status/transitions'), 200).map(({ cause }: { cause: string }) => cause);
    expect(causes).toEqual(['check_deleted', 'result']);
    await fresh.del(`/v1/blueprints/service/entities/${entity.slug}`);
    expect(got(await fresh.get('/v1/status/transitions'), 200)).toEqual([]);
  });

  it.each(['limit=0', 'limit=ten', 'cursor=garbled', 'cursor='])('rejects %s', async (query) => {
    const path = query.split('=')[0]!;
    expect(await client.get(`/v1/status/transitions?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('masks URLs in error messages for a read-only key', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    await push(id, false, 'no answer from https://example.com/?token=s3cret');
    const reader = await keyOf(client, { is_read_only: true });
    const [shown] = got(await reader.get(`/v1/checks/${id}/transitions`), 200);
    expect(shown.error_message).toBe('no answer from ********');
    expect(got(await reader.get('/v1/status/transitions'), 200)).toContainEqual(shown);
  });
});
