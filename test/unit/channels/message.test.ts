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

describe('the message of an alert', () => {
  it('names check, entity, states, error and the first failure when a check goes down', () => {
    expect(words('state_change')).toBe(`[bad] Shop: checkout is down
Check: up → down
Entity: up → degraded
Failing since: 2026-11-21 05:16:10 UTC
status 503, expected 200`);
  });

  it('has the duration of the outage on recovery', () => {
    expect(words('recovery')).toBe(`[good] Shop: checkout is up again after 1 h 5 min
Check: down → up
Entity: degraded → up
Since: 2026-11-21 06:21:52 UTC
Was down for: 1 h 5 min`);
  });

  it('has the duration of the outage in a reminder', () => {
    expect(words('reminder')).toBe(`[bad] Shop: checkout is still down after 2 h
Check: up → down
Entity: up → degraded
Failing since: 2026-11-21 05:16:10 UTC
Down for: 2 h
status 503, expected 200
Reminder: still down.`);
  });

  it('has the current state in the alert of a remediation that did not help', () => {
    const failed = examples.remediation_failed;
    const degraded = { ...failed, event: { ...failed.event, check_to_state: 'degraded' as const } };
    expect(messageOf(degraded).title).toBe('Shop: checkout is still down: Restart the shop did not help');
  });

  it('has the reason in a late alert', () => {
    expect(words('late')).toBe(`[bad] Shop: checkout has been down for 5 min 30 s
Check: up → down
Entity: up → degraded
Failing since: 2026-11-21 05:16:10 UTC
Down for: 5 min 30 s
status 503, expected 200
Late alert: an earlier one was suppressed, failed or arrived out of order.`);
    expect(words('late_recovery')).toMatch(/^\[good] Shop: checkout is up again after 1 h 5 min\n/);
  });

  it('states that the check is down again, or failed without an alert', () => {
    expect(words('late_again')).toMatch(/^\[bad] Shop: checkout has been down again for 5 min 30 s, after 1 d up\n/);
    expect(words('late_unreported')).toMatch(
      /It also failed 3 times without an alert, the last from 2026-11-21 06:10:00 UTC to 2026-11-21 06:21:52 UTC\.$/,
    );
  });

  it('closes the alert of a check that was disabled or deleted', () => {
    expect(words('closed')).toBe(`[neutral] Shop: checkout was disabled while down
Check: down → unknown
Entity: degraded → unknown
Since: 2026-11-21 06:21:52 UTC
Was down for: 1 h 5 min
It is no longer checked, so no recovery will be reported.`);
    expect(words('deleted')).toMatch(/^\[neutral] Shop: checkout was deleted while down\n/);
  });

  it('reports degraded as a warning, with its error message', () => {
    expect(words('degraded')).toBe(`[warn] Shop: checkout is degraded
Check: up → degraded
Entity: up → degraded
Since: 2026-11-21 05:16:40 UTC
expected latency_ms to be less than 800, got 912`);
    expect(words('late_degraded')).toMatch(/^\[warn] Shop: checkout has been degraded for 12 min\n/);
  });

  it('distinguishes a check that is degraded after down from one that is up', () => {
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

  it('reports a degraded check as up, with a note, only if its policy does not alert on degraded', () => {
    expect(words('hidden_degraded')).toBe(`[good] Shop: checkout is up again after 1 h 5 min
Check: down → degraded
Entity: still degraded
Since: 2026-11-21 06:21:52 UTC
Was down for: 1 h 5 min
It is degraded, but its policy does not alert on degraded.`);
  });

  it('states that a check flaps, and when the next alert is sent', () => {
    expect(words('flapping')).toMatch(/\nFlapping: 6 changes in 41 min\. Next alert after 15 min in one state\.$/);
  });

  it('does not mention an outage when a check with an unreported recovery is disabled', () => {
    const { closed } = examples;
    const { title, facts, note } = messageOf({ ...closed, event: { ...closed.event, check_from_state: 'up' } });
    expect(title).toBe('Shop: checkout was disabled');
    expect(facts.map(([label]) => label)).toEqual(['Check', 'Entity', 'Since']);
    expect(note).toBe('It is no longer checked, so nothing more will be reported.');
  });

  it('states in a test alert that nothing has happened', () => {
    expect(words('test')).toBe(`[neutral] Test alert for Shop: checkout
Check: up
Entity: up
Since: 2026-11-20 05:16:40 UTC
Test alert: nothing has happened, and this channel works.`);
  });

  it('has the unchanged state of an entity when a second check of it fails', () => {
    const { event } = examples.state_change;
    const second = { ...examples.state_change, event: { ...event, from_state: 'degraded' as const } };
    expect(messageOf(second).facts).toContainEqual(['Entity', 'still degraded']);
  });
});

describe('the context in the message of an alert', () => {
  it('has root cause and impact first, then recent failures, notified channels, and links', () => {
    expect(
      linesOf(messageOf(examples.everything)).join('\n'),
    ).toBe(`Root cause: Database, down since 2026-11-21 05:12:03 UTC. 41 others fail with it: Cart, Search, Mail and 38 more.
Check: up → down
Entity: up → degraded
Failing since: 2026-11-21 05:16:10 UTC
Why: status 503, expected 200
Down 3 times within 1 d. Notified: Slack, 2 x Webhook.
Acknowledge: https://status.test/a/tok_1
Silence for an hour: https://status.test/a/tok_2
Runbook: https://wiki.test/shop?a=1&b=2
Incident: https://status.test/#/incidents/inc_1
Details: https://status.test/#/checks/chk_1
Dashboard: https://graphs.test/d/shop`);
  });

  it('has the dependents of a root cause', () => {
    expect(messageOf(examples.with_dependents).lead).toBe('2 depend on it: Cart, Search.');
    expect(messageOf({ ...examples.with_dependents, impact: { count: 1, names: ['Cart'] } }).lead).toBe(
      '1 depends on it: Cart.',
    );
  });

  it('has no acknowledgement link after a recovery', () => {
    const recovery = {
      ...examples.recovery,
      urls: examples.everything.urls,
      acknowledge_url: 'https://status.test/a/tok_1',
    };
    expect(messageOf(recovery).links.map(([label]) => label)).toEqual(['Incident', 'Details', 'Dashboard']);
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
  ])('has a title without repetition for entity %j and check %j', (entity_name, check_label, title) => {
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
