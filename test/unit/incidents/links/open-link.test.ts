import { beforeEach, describe, expect, it } from 'vitest';
import { alertLinks } from '#lib/alerting/notify/alert-links.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { followLink, type OpenLink, openLink } from '#lib/incidents/links/open-link.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { alertWorld, START, TENANT } from '#test/support/alert-world.ts';

const channel = { id: 'chn_1', channel_type: 'slack', config: { url: 'https://hooks.slack.test/a' }, created_at: '' };
const origin = { via: 'link' as const, request_id: 'r', ip: '', user_agent: '' };
const PAGE = 'https://status.test';

type World = Awaited<ReturnType<typeof alertWorld>>;
let world: World;
let down: CheckItem;
beforeEach(async () => {
  world = await alertWorld({ PUBLIC_URL: PAGE });
  await world.putPolicy([channel]);
  await world.put(world.transition(['chn_1'], { transition_id: 'trn_1' }));
  down = await world.put<CheckItem>({
    ...world.check,
    state: 'down',
    alerts: { announced: { baseline: 'down', latest: [] }, episode: { transition_id: 'trn_1' } },
  });
});

/** Returns the links of an alert that reports down. */
function links(of: { check?: CheckItem; public_url?: string } = {}) {
  const { check = down, public_url = PAGE } = of;
  const delivery = { tenant_id: TENANT, channel_id: 'chn_1', created_at: iso(START), to_state: 'down' as const };
  return alertLinks(delivery, { account: world.account, check, public_url, now: world.now() });
}
const tokenOf = (url: string | null): string => url!.slice(`${PAGE}/a/`.length);
const open = (url: string | null) => openLink(world.context, tokenOf(url));
const follow = async (url: string | null) => followLink(world.context, (await open(url)) as OpenLink, origin);
const storedCheck = () => world.table.get<CheckItem>(world.keys.check(TENANT, 'chk_pay'));

describe('alertLinks', () => {
  it('returns links while the failure lasts and PUBLIC_URL is set', () => {
    expect(links()).toEqual({
      acknowledge_url: expect.stringMatching(/^https:\/\/status\.test\/a\/[\w.-]+$/),
      silence_url: expect.stringMatching(/^https:\/\/status\.test\/a\/[\w.-]+$/),
    });
    const none = { acknowledge_url: null, silence_url: null };
    expect(links({ public_url: '' })).toEqual(none);
    expect(links({ check: world.check })).toEqual(none);
  });

  it('leads to pages that change nothing when opened', async () => {
    const { acknowledge_url } = links();
    for (let i = 0; i < 3; i++)
      expect(await open(acknowledge_url)).toMatchObject({
        claims: { action: 'acknowledge', check_id: 'chk_pay', channel_id: 'chn_1' },
        name: 'Shop: checkout',
        sent_to: 'Slack',
      });
    expect(await storedCheck()).toEqual(down);
  });
});

describe('followLink', () => {
  it('acknowledges, and the link is used up', async () => {
    const { acknowledge_url } = links();
    await follow(acknowledge_url);
    expect((await storedCheck())?.alerts.episode?.acknowledgement).toMatchObject({
      by: 'a link in Slack',
      via: 'link',
      channel_id: 'chn_1',
    });
    expect(await open(acknowledge_url)).toMatchObject({ status: 410, why: expect.stringContaining('was used at') });
    expect(links({ check: (await storedCheck())! }).acknowledge_url).toBeNull();
  });

  it('silences for an hour, once', async () => {
    const { silence_url } = links();
    await follow(silence_url);
    const policy = await world.table.get<PolicyItem>(world.keys.policy(TENANT, 'chk_pay'));
    expect(policy).toMatchObject({ silenced: true, silenced_until: iso(START + 3_600_000) });
    expect(await open(silence_url)).toMatchObject({ status: 410, why: expect.stringContaining('was used at') });
  });

  it('acts once when followed concurrently', async () => {
    const { acknowledge_url } = links();
    const opened = (await open(acknowledge_url)) as OpenLink;
    await Promise.all([1, 2, 3].map(() => followLink(world.context, opened, origin)));
    const { items } = await world.table.query({ partition: `T#${TENANT}#CHECK#chk_pay`, from: 'AL#', to: 'AL#~' });
    expect(items).toHaveLength(1);
  });
});

describe('openLink explains why a link cannot be used', () => {
  it.each<[string, () => Promise<unknown> | unknown, number, RegExp]>([
    ['after a day', () => world.pass(DAY_MS), 410, /expired at 2026-11-22/],
    ['after the recovery', () => world.put({ ...down, state: 'up', alerts: {} }), 410, /is over: it is up/],
    [
      'after a new failure',
      () => world.put({ ...down, alerts: { episode: { transition_id: 'trn_2' } } }),
      410,
      /has failed again/,
    ],
    ['after removal of its channel', () => world.putPolicy([]), 410, /channel .* was removed/],
    ['in a disabled account', () => world.put({ ...world.account, disabled: true }), 403, /disabled/],
    ['with the key of another account', () => world.put({ ...world.account, link_key: 'other' }), 404, /Invalid link/],
  ])('%s', async (_when, happens, status, why) => {
    const { acknowledge_url, silence_url } = links();
    await happens();
    for (const url of [acknowledge_url, silence_url])
      expect(await open(url)).toEqual({ status, why: expect.stringMatching(why) });
  });

  it.each(['', 'x', 'a.b', `${'A'.repeat(60)}.${'B'.repeat(22)}`])('with the invalid token %j', async (token) => {
    expect(await openLink(world.context, token)).toMatchObject({ status: 404 });
  });

  it('after another acknowledgement', async () => {
    const { acknowledge_url } = links();
    const acknowledgement = { by: 'ann@example.com', via: 'api' as const, at: START, note: '' };
    await world.put({ ...down, alerts: { episode: { transition_id: 'trn_1', acknowledgement } } });
    expect(await open(acknowledge_url)).toMatchObject({ status: 410, why: expect.stringContaining('ann@example.com') });
  });
});
