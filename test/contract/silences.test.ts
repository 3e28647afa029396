import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';

const SILENCES = '/v1/notify/silences';

let client: Client;
const receiver = receiving();
beforeAll(async () => {
  client = await newTenant();
});

const ahead = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const texts = (path: string): string[] =>
  receiver()
    .received.filter((one) => one.path === path)
    .map(({ body }) => JSON.parse(body).text);
const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 5 }), 201);

/** Creates a push check that is up and notifies one channel. */
async function upCheck(path: string) {
  const entity = await newEntity(client);
  const more = { failure_threshold: 1, interval_seconds: 3600, name: 'cart', entity_id: entity.id };
  const { id } = await newCheck(client, more);
  const channel = { channel_type: 'slack', config: { url: receiver().url + path } };
  got(await client.post(`/v1/checks/${id}/policy/channels`, channel), 201);
  await push(id, true);
  return { id: id as string, entity, policy: `/v1/checks/${id}/policy` };
}

const reasonOf = async (id: string) => (await client.get(`/v1/checks/${id}/transitions`)).body[0].alert.reason;

describe('a silence', () => {
  it('ends at the given time for a check, and then reports a change of state', async () => {
    const { id, policy } = await upCheck('/until');
    const until = ahead(2);
    expect(got(await client.post(policy, { silenced_until: until, silence_reason: 'a new disk' }), 200)).toMatchObject({
      silenced: true,
      silenced_until: until,
      silence_reason: 'a new disk',
      silenced_by: [{ by: 'check', id, until, reason: 'a new disk' }],
    });
    await push(id, false);
    expect(await reasonOf(id)).toBe('silenced');
    await eventually(() => texts('/until').length === 1);
    expect(texts('/until')[0]).toMatch(/cart has been down for/);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
    const shown = got(await client.get(policy), 200);
    expect(shown).toMatchObject({ silenced: false, silenced_until: null, silence_reason: '', silenced_by: [] });
  });

  it('applies to the checks of an entity, and reports a change of state when it is lifted', async () => {
    const { id, entity, policy } = await upCheck('/entity');
    const path = `/v1/blueprints/service/entities/${entity.slug}`;
    expect(got(await client.put(path, { silenced: true, silence_reason: 'moving' }), 200)).toMatchObject({
      silenced: true,
      silenced_until: null,
      silence_reason: 'moving',
    });
    expect(got(await client.get(policy), 200)).toMatchObject({
      silenced: false,
      silenced_by: [{ by: 'entity', id: entity.id, until: null, reason: 'moving' }],
    });
    await push(id, false);
    expect(await reasonOf(id)).toBe('silenced');
    got(await client.put(path, { silenced: false }), 200);
    await eventually(() => texts('/entity').length === 1);
    expect(texts('/entity')[0]).toMatch(/cart has been down for/);
  });

  it('can be created for a selection, listed, and ended early by a responder', async () => {
    const { id, entity, policy } = await upCheck('/selected');
    const respond = await keyOf(client, { scopes: ['respond'] });
    const body = { applies_to: { entity_ids: [entity.id] }, until: ahead(3600), reason: 'upgrade' };
    const silence = got(await respond.post(SILENCES, body), 201);
    expect(silence).toMatchObject({ id: expect.stringMatching(/^sil_/), ...body, notice: null });
    const { notice: _said, ...record } = silence;
    const listed = { ...record, scope: 'account', entity_id: null, check_id: null };
    expect(got(await client.get(SILENCES), 200).filter(({ id: of }: { id: string }) => of === silence.id)).toEqual([
      listed,
    ]);
    expect(got(await client.get(policy), 200).silenced_by).toMatchObject([{ by: 'account', id: silence.id }]);
    await push(id, false);
    expect(await reasonOf(id)).toBe('silenced');
    got(await respond.del(`${SILENCES}/${silence.id}`), 204);
    expect(got(await client.get(SILENCES), 200)).not.toContainEqual(listed);
    expect((await respond.del(`${SILENCES}/${silence.id}`)).status).toBe(404);
    await eventually(() => texts('/selected').length === 1);
    const { body: log } = await client.get('/v1/audit?action=silence.');
    expect(log.map(({ action }: { action: string }) => action)).toEqual(['silence.end', 'silence.create']);
  });

  it.each([
    ['covers all checks', { applies_to: null, until: ahead(3600) }],
    ['lasts longer than a day', { applies_to: { labels: { team: 'web' } }, until: ahead(2 * 86_400) }],
  ])('needs the scope write or the member role if it %s', async (extent, body) => {
    const responder = await memberOf(client, 'responder');
    const refused = await responder.post(SILENCES, body);
    expect(refused).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(refused.body.error).toBe(`It ${extent}. This needs the member role; you are a responder.`);
    const write = await keyOf(client, { scopes: ['write'] });
    const { id } = got(await write.post(SILENCES, body), 201);
    got(await responder.del(`${SILENCES}/${id}`), 204);
  });

  it('is listed with the silences of every other scope, with its author and its end, until it is over', async () => {
    const mine = await newTenant();
    const [entity, other] = [await newEntity(mine), await newEntity(mine)];
    const check = await newCheck(mine, { entity_id: other.id });
    const gone = await newCheck(mine, { entity_id: other.id });
    const policy = `/v1/checks/${check.id}/policy`;
    const path = `/v1/blueprints/service/entities/${entity.slug}`;
    const until = ahead(3600);
    got(await mine.put(path, { silenced: true, silence_reason: 'moving' }), 200);
    got(await mine.post(policy, { silenced_until: until, silence_reason: 'a new disk' }), 200);
    got(await mine.post(`/v1/checks/${gone.id}/policy`, { silenced: true }), 200);
    got(await mine.del(`/v1/checks/${gone.id}`), 204);
    const account = got(await mine.post(SILENCES, { applies_to: null, until, reason: 'upgrade' }), 201);
    const { created_by } = account;
    expect(created_by).not.toBe('');
    const common = { id: null, applies_to: null, created_at: expect.any(String), created_by };
    const all = [
      { scope: 'account', id: account.id, until, reason: 'upgrade', entity_id: null, check_id: null },
      { ...common, scope: 'entity', entity_id: entity.id, check_id: null, until: null, reason: 'moving' },
      { ...common, scope: 'check', entity_id: other.id, check_id: check.id, until, reason: 'a new disk' },
    ];
    expect(got(await mine.get(SILENCES), 200)).toMatchObject(all);
    const first = await mine.get(`${SILENCES}?limit=2`);
    expect(first.body).toHaveLength(2);
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1];
    expect(got(await mine.get(next!), 200)).toMatchObject(all.slice(2));

    got(await mine.post(policy, { silenced: false }), 200);
    got(await mine.del(path), 204);
    expect(got(await mine.get(SILENCES), 200)).toMatchObject(all.slice(0, 1));
  });

  it('reports nothing at its end if nothing has changed', async () => {
    const { id, policy } = await upCheck('/calm');
    got(await client.post(policy, { silenced: true }), 200);
    await push(id, false);
    await push(id, true);
    got(await client.post(policy, { silenced: false }), 200);
    await push(id, false);
    await eventually(() => texts('/calm').length > 0);
    expect(texts('/calm')).toEqual([expect.stringMatching(/cart is down/)]);
  });

  it('has a notice if it matches no check yet', async () => {
    const wanted = { applies_to: { labels: { team: 'nowhere' } }, until: ahead(60) };
    const silence = got(await client.post(SILENCES, wanted), 201);
    expect(silence.notice).toMatch(/^No check matches/);
    got(await client.del(`${SILENCES}/${silence.id}`), 204);
  });

  it.each([
    ['no selection', { until: ahead(60) }, 'applies_to'],
    ['an end that has passed', { applies_to: null, until: ahead(-60) }, 'until'],
    ['an end in 31 days', { applies_to: null, until: ahead(31 * 86_400) }, 'until'],
    ['no end', { applies_to: null }, 'until'],
    ['states', { applies_to: { blueprints: ['service'], states: ['down'] }, until: ahead(60) }, 'applies_to.states'],
  ])('is rejected with %s', async (_what, body, path) => {
    expect(await client.post(SILENCES, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it.each([
    [{ silenced_until: ahead(-60) }, 'silenced_until'],
    [{ silenced_until: ahead(31 * 86_400) }, 'silenced_until'],
    [{ silenced: false, silenced_until: ahead(60) }, 'silenced_until'],
    [{ silence_reason: 'of nothing' }, 'silence_reason'],
  ])('is rejected for a check or an entity with %j', async (body, path) => {
    const check = await newCheck(client);
    expect(await client.post(`/v1/checks/${check.id}/policy`, body)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
    const { slug } = await newEntity(client);
    expect(await client.put(`/v1/blueprints/service/entities/${slug}`, body)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });
});
