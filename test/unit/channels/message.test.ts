import { describe, expect, it } from 'vitest';
import { messageOf } from '#lib/channels/message.ts';
import { duration } from '#lib/channels/message-facts.ts';
import { linesOf } from '#lib/channels/plain-text.ts';
import { examples } from '#test/unit/channels/example-alerts.ts';

const words = (name: keyof typeof examples): string => {
  const { title, mood, facts, why, note } = messageOf(examples[name]);
  return [`[${mood}] ${title}`, ...facts.map(([label, value]) => `${label}: ${value}`), why, note]
    .filter(Boolean)
    .join('\n');
};

describe('what people are told', () => {
  it('names check, entity, states, reason and time when a check goes down', () => {
    expect(words('state_change')).toBe(`[bad] Shop: checkout is down
Check: up → down
Entity: up → degraded
Since: 2026-11-21 05:16:40 UTC
status 503, expected 200`);
  });

  it('says how long it was down on recovery', () => {
    expect(words('recovery')).toBe(`[good] Shop: checkout is up again after 1 h 5 min
Check: down → up
Entity: degraded → up
Since: 2026-11-21 06:21:52 UTC
Was down for: 1 h 5 min`);
  });

  it('says on a repeat how long it has been down by now', () => {
    expect(words('repeat')).toBe(`[bad] Shop: checkout is still down after 2 h
Check: up → down
Entity: up → degraded
Since: 2026-11-21 05:16:40 UTC
Down for: 2 h
status 503, expected 200
Reminder: still down.`);
  });

  it('says of a remediation that did not help in which state the check is by now', () => {
    const failed = examples.remediation_failed;
    const since = { ...failed, event: { ...failed.event, check_to_state: 'degraded' as const } };
    expect(messageOf(since).title).toBe('Shop: checkout is still down: Restart the shop did not help');
  });

  it('says on a catch-up why it comes late', () => {
    expect(words('catch_up')).toBe(`[bad] Shop: checkout has been down for 5 min
Check: up → down
Entity: up → degraded
Since: 2026-11-21 05:16:40 UTC
Down for: 5 min
status 503, expected 200
Late alert: an earlier one was suppressed, failed or arrived out of order.`);
    expect(words('late_recovery')).toMatch(/^\[good] Shop: checkout is up again after 1 h 5 min\n/);
  });

  it('closes a story that a disabled or deleted check leaves open', () => {
    expect(words('closed')).toBe(`[neutral] Shop: checkout was disabled while down
Check: down → unknown
Entity: degraded → unknown
Since: 2026-11-21 06:21:52 UTC
Was down for: 1 h 5 min
It is no longer checked, so no recovery will be reported.`);
    expect(words('deleted')).toMatch(/^\[neutral] Shop: checkout was deleted while down\n/);
  });

  it('tells of degraded as a warning, with the warning as its reason', () => {
    expect(words('degraded')).toBe(`[warn] Shop: checkout is degraded
Check: up → degraded
Entity: up → degraded
Since: 2026-11-21 05:16:40 UTC
expected latency_ms to be less than 800, got 912`);
    expect(words('late_degraded')).toMatch(/^\[warn] Shop: checkout has been degraded for 12 min\n/);
  });

  it('tells a check that is better from one that is well', () => {
    expect(words('degraded_after_down')).toBe(`[warn] Shop: checkout is no longer down but degraded, after 1 h 5 min
Check: down → degraded
Entity: still degraded
Since: 2026-11-21 06:21:52 UTC
Was down for: 1 h 5 min
expected latency_ms to be less than 800, got 912`);
    expect(words('recovery_of_degraded')).toMatch(/^\[good] Shop: checkout is up again after 12 min degraded\n/);
    expect(words('down_after_degraded')).toMatch(/^\[bad] Shop: checkout is down\n/);
    expect(words('closed_degraded')).toMatch(/^\[neutral] Shop: checkout was disabled while degraded\n/);
  });

  it('says up of one that is degraded only where degraded is not announced, and says that it is so', () => {
    expect(words('hidden_degraded')).toBe(`[good] Shop: checkout is up again after 1 h 5 min
Check: down → degraded
Entity: still degraded
Since: 2026-11-21 06:21:52 UTC
Was down for: 1 h 5 min
It is degraded, but its policy does not alert on degraded.`);
  });

  it('says once that a check flaps, and when it is told again', () => {
    expect(words('flapping')).toMatch(/\nFlapping: 6 changes in 41 min\. Next alert after 15 min in one state\.$/);
  });

  it('claims no outage when a check is disabled whose recovery nobody was told', () => {
    const { closed } = examples;
    const { title, facts, note } = messageOf({ ...closed, event: { ...closed.event, check_from_state: 'up' } });
    expect(title).toBe('Shop: checkout was disabled');
    expect(facts.map(([label]) => label)).toEqual(['Check', 'Entity', 'Since']);
    expect(note).toBe('It is no longer checked, so nothing more will be reported.');
  });

  it('says of a test that nothing has happened', () => {
    expect(words('test')).toBe(`[neutral] Test alert for Shop: checkout
Check: up
Entity: up
Since: 2026-11-20 05:16:40 UTC
Test alert: nothing has happened, and this channel works.`);
  });

  it('says that an entity stays as it was when a second check of it fails', () => {
    const { event } = examples.state_change;
    const second = { ...examples.state_change, event: { ...event, from_state: 'degraded' as const } };
    expect(messageOf(second).facts).toContainEqual(['Entity', 'still degraded']);
  });
});

describe('what people are told of what is around it', () => {
  it('says the cause and what fails with it before all else, then how often it failed and who was told, and where to look', () => {
    expect(
      linesOf(messageOf(examples.everything)).join('\n'),
    ).toBe(`Root cause: Database, down since 2026-11-21 05:12:03 UTC. 41 others fail with it: Cart, Search, Mail and 38 more.
Check: up → down
Entity: up → degraded
Since: 2026-11-21 05:16:40 UTC
Why: status 503, expected 200
Down 3 times within 1 d. Notified: Slack, 2 x Webhook.
Acknowledge: https://status.test/a/tok_1
Silence for an hour: https://status.test/a/tok_2
Runbook: https://wiki.test/shop?a=1&b=2
Incident: https://status.test/#/incidents/inc_1
Details: https://status.test/#/checks/chk_1
Dashboard: https://graphs.test/d/shop`);
  });

  it('says of a root what depends on it', () => {
    expect(messageOf(examples.root).lead).toBe('2 depend on it: Cart, Search.');
    expect(messageOf({ ...examples.root, impact: { count: 1, names: ['Cart'] } }).lead).toBe('1 depends on it: Cart.');
  });

  it('asks nobody to acknowledge what is over', () => {
    const over = {
      ...examples.recovery,
      urls: examples.everything.urls,
      acknowledge_url: 'https://status.test/a/tok_1',
    };
    expect(messageOf(over).links.map(([label]) => label)).toEqual(['Incident', 'Details', 'Dashboard']);
  });

  it.each([
    ['Web shop', 'Web shop', 'Web shop is down'],
    ['Web shop', 'web shop', 'Web shop is down'],
    ['Web shop', 'Web shop home page', 'Web shop home page is down'],
    ['Web shop home page', 'home page', 'Web shop home page is down'],
    ['API', 'health of API', 'health of API is down'],
    ['Shop', 'Shopify', 'Shop: Shopify is down'],
    ['shop', 'workshop', 'shop: workshop is down'],
    ['Web shop', 'home page', 'Web shop: home page is down'],
    ['orders', 'GET https://shop.test/orders', 'orders: GET https://shop.test/orders is down'],
  ])('names neither of %j and %j twice', (entity_name, check_label, title) => {
    const { event } = examples.state_change;
    expect(messageOf({ ...examples.state_change, event: { ...event, entity_name }, check_label }).title).toBe(title);
  });
});

describe('duration', () => {
  it.each([
    [0, '0 s'],
    [999, '0 s'],
    [-5, '0 s'],
    [59_000, '59 s'],
    [60_000, '1 min'],
    [61_000, '1 min 1 s'],
    [3_600_000 + 59_000, '1 h'],
    [86_400_000 * 3 + 3_600_000 * 4, '3 d 4 h'],
  ])('%i ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
