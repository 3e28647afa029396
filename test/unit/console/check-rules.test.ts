import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedCheck } from '#console/api/records.ts';
import { progressTexts } from '#console/rules/check-counts.ts';
import { channelName, checkLabel } from '#console/rules/check-label.ts';
import { type CheckRow, filtered, inOrder, stateCounts, withNews } from '#console/rules/check-list.ts';
import { bodyOf, draftOf, startingFrom } from '#console/rules/form-draft.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { intervalText } from '#console/rules/interval-schedule.ts';
import { cronOf, pingSnippets } from '#console/rules/push-snippets.ts';
import { chartRangeOf, uptimeOf } from '#console/rules/uptime.ts';
import { generate } from '#infra/docs/generate.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';

const schemas = JSON.parse(generate().console['schemas.json']!);

const check = (id: string, more: Partial<ListedCheck> = {}): ListedCheck =>
  ({
    id,
    entity_id: 'ent_1',
    name: id,
    check_type: 'http',
    enabled: true,
    state: 'up',
    state_since: '2026-11-22T10:00:00.000Z',
    stale: false,
    ...more,
  }) as ListedCheck;
const row = (id: string, more: Partial<ListedCheck> = {}): CheckRow => ({
  check: check(id, more),
  label: id,
  entity: undefined,
});
const ALL = { states: new Set<string>(), type: '', enabled: '', words: '' };

const rows = fc
  .uniqueArray(
    fc.record({
      id: fc.stringMatching(/^chk_[a-z0-9]{4}$/),
      state: fc.constantFrom('up', 'degraded', 'down', 'unknown' as const),
      enabled: fc.boolean(),
      check_type: fc.constantFrom('http', 'push'),
    }),
    { selector: ({ id }) => id },
  )
  .map((all) => all.map(({ id, ...more }) => row(id, more as Partial<ListedCheck>)));

describe('list of checks', () => {
  it('contains each check once: down ones first, disabled ones last', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const ranks = inOrder(all).map(({ check: { state, enabled } }) =>
          enabled ? ['down', 'degraded', 'unknown', 'up'].indexOf(state) : 9,
        );
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(
          inOrder(all)
            .map(({ label }) => label)
            .toSorted(),
        ).toEqual(all.map(({ label }) => label).toSorted());
        const { up, degraded, down, unknown } = stateCounts(all);
        expect(up + degraded + down + unknown).toBe(all.length);
      }),
    );
  });

  it('shows exactly the checks that match all filters', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom('', 'http'), fc.constantFrom('', 'yes', 'no'), (all, type, enabled) => {
        const shown = filtered(all, { ...ALL, type, enabled });
        for (const one of all) {
          const fits =
            (!type || one.check.check_type === type) && (!enabled || one.check.enabled === (enabled === 'yes'));
          expect(shown.includes(one)).toBe(fits);
        }
      }),
    );
  });

  it('finds words in name and error, and leaves out excluded checks', () => {
    const failed = { success: false, error_message: 'card declined' } as NonNullable<ListedCheck['last_result']>;
    const all = [row('checkout', { last_result: failed }), row('search')];
    expect(filtered(all, { ...ALL, words: 'DECLINED card' })).toEqual([all[0]]);
    expect(filtered(all, { ...ALL, excluded: new Set(['checkout']) })).toEqual([all[1]]);
  });

  it('applies new transitions and ignores older ones', () => {
    const before = [check('a'), check('b')];
    const news = (at: string, state: 'up' | 'down') => ({ check_id: 'a', check_to_state: state, timestamp: at });
    const after = withNews(before, [news('2026-11-22T12:00:00.000Z', 'down'), news('2026-11-22T11:00:00.000Z', 'up')]);
    expect(after.map(({ state }) => state)).toEqual(['down', 'up']);
    expect(after[1]).toBe(before[1]);
    expect(withNews(before, [news('2026-11-22T09:00:00.000Z', 'down')])[0]!.state).toBe('up');
  });
});

describe('label of a check or channel', () => {
  it.each([...checkTypes.values()].map((type) => [type.type, type] as const))(
    'is the target or the type of a check without a name: %s',
    (name, type) => {
      const label = checkLabel({ ...type.examples.valid[0], name: null, check_type: name }, schemas.checks[name]);
      expect(label).toMatch(/\w/);
      expect(label).not.toMatch(/undefined|null|object/);
      expect(checkLabel({ name: 'checkout', check_type: name }, schemas[name])).toBe('checkout');
    },
  );

  it('is the host for a channel without a name, because the rest of the URL is secret', () => {
    expect(channelName({ config: { url: 'https://hooks.slack.com/services/T0/B0/s3cret' } })).toBe('hooks.slack.com');
    expect(channelName({ name: 'On call', config: { url: 'https://hooks.slack.com/' } })).toBe('On call');
    expect(channelName({ config: { subject: 'alerts' } })).toBe('alerts');
    expect(channelName({ config: { url: '********' } })).toBe('');
  });
});

describe('copy of a check', () => {
  it.each([...checkTypes.values()].map((type) => [type.type, type] as const))('has all settings: %s', (name) => {
    const specs = fieldsOf(schemas.checks[name]);
    const type = checkTypes.get(name)!;
    for (const example of type.examples.valid) {
      const source = { ...example, entity_id: 'ent_1', name: 'checkout', interval_seconds: 77 };
      const copied = startingFrom(specs, source);
      expect({ config: {}, ...bodyOf(copied, draftOf(copied, undefined)) }).toMatchObject(source);
    }
  });
});

describe('cron examples of a push check', () => {
  it('run at least once per interval, but at most once a minute', () => {
    expect(cronOf(60)).toBe('* * * * *');
    expect(cronOf(300)).toBe('*/5 * * * *');
    expect(cronOf(7 * 60)).toBe('*/6 * * * *');
    expect(cronOf(3600)).toBe('0 * * * *');
    expect(cronOf(7200)).toBe('0 */2 * * *');
    expect(cronOf(86_400)).toBe('0 3 * * *');
    expect(cronOf(1)).toBe('* * * * *');
  });

  it('ping with the exit status and the output of the job', () => {
    const { crontab, start } = pingSnippets('https://status.example.com/ping/u', 86_400);
    expect(crontab).toBe(
      '0 3 * * * out=$(/path/to/job 2>&1); ' +
        'curl -fsS -m 10 --retry 5 -o /dev/null --data-raw "$out" https://status.example.com/ping/u/$?',
    );
    expect(start).toContain('https://status.example.com/ping/u/start');
  });

  it('use the schedule of the check if it is a cron schedule', () => {
    const fields = (schedule: string) =>
      pingSnippets('https://a.test/ping/u', 86_400, schedule).crontab.split(' out=')[0];
    expect(fields('30 2 * * *')).toBe('30 2 * * *');
    expect(fields('@daily')).toBe('@daily');
    expect(fields('Mon..Fri 02:30')).toBe('0 3 * * *');
  });
});

it('intervalText describes the schedule, or else the interval', () => {
  const due = (config: object) => intervalText({ interval_seconds: 90, config });
  expect(due({})).toBe('every 1 min 30 s');
  expect(due({ schedule: '30 2 * * *' })).toBe('by 30 2 * * * in UTC');
  expect(due({ schedule: '02:30\n 12:00 \n', timezone: 'Europe/Berlin' })).toBe('by 02:30 and 12:00 in Europe/Berlin');
});

describe('progressTexts', () => {
  const steady = {
    failure_threshold: 3,
    recovery_threshold: 2,
    consecutive_failures: 0,
    consecutive_warnings: 0,
    consecutive_successes: 2,
  };
  it('returns only the counters that can lead to another state', () => {
    expect(progressTexts(steady)).toEqual([]);
    expect(progressTexts({ ...steady, consecutive_failures: 1, consecutive_warnings: 1 })).toEqual(['1 of 3 failures']);
    expect(progressTexts({ ...steady, consecutive_failures: 1, consecutive_warnings: 2 })).toEqual([
      '1 of 3 failures',
      '2 of 3 warnings',
    ]);
    expect(
      progressTexts({ ...steady, consecutive_failures: 3, consecutive_warnings: 3, consecutive_successes: 1 }),
    ).toEqual(['1 of 2 successes']);
  });
});

describe('uptime', () => {
  const seconds = { up: 0, degraded: 0, down: 0, unknown: 0, gap: 0, maintenance: 0, not_monitored: 0 };
  it('weighs days by their monitored time', () => {
    const days = [{ seconds: { ...seconds, up: 90, down: 10 } }, { seconds: { ...seconds, degraded: 100, gap: 500 } }];
    expect(uptimeOf(days)).toBe(0.95);
    expect(uptimeOf([{ seconds }])).toBeNull();
  });

  it('has a chart of a day by default, and of an hour for a new check', () => {
    const DAY = 86_400_000;
    expect(chartRangeOf('90d', DAY).hours).toBe(90 * 24);
    expect(chartRangeOf('nonsense', DAY).key).toBe('24h');
    expect(chartRangeOf(null, DAY).key).toBe('24h');
    expect(chartRangeOf(null, 60_000).key).toBe('1h');
  });
});
