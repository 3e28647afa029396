import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { duration } from '#lib/channels/message-facts.ts';
import { iso } from '#lib/platform/time.ts';
import { alertingCheck, timeOfDay, type VirtualService, virtualService } from './virtual-service.ts';

let service: VirtualService;
beforeEach(async () => {
  service = await virtualService('20:30');
});
afterEach(() => service.close());

type Report = [time: string, report: 'ok' | 'fails'];

/** Creates a shop that is up, with a scripted agent. */
async function shop(policy: object = {}) {
  const settings = { check_type: 'push', interval_seconds: 86_400, name: 'shop', channel_type: 'slack' };
  const check = await alertingCheck(service, { ...settings, policy });
  await check.push(true);
  return {
    ...check,
    /** Opens a maintenance window until a time of day. */
    maintenance: (until: string) =>
      service.call('POST', '/v1/windows', {
        ...{ name: 'work', scope: { check_ids: [check.id] } },
        ...{ starts_at: iso(service.now()), ends_at: iso(timeOfDay(until)) },
      }),
    /** Sends reports at given times of day, and lets time pass until `until`. */
    lives: async (reports: Report[], until: string): Promise<void> => {
      for (const [time, report] of reports) {
        await service.until(time);
        await check.push(report === 'ok');
      }
      await service.until(until);
    },
  };
}

/** Two failures that end, and a third that lasts. */
const FAILURES: Report[] = [
  ['20:36:42', 'fails'],
  ['20:37:17', 'ok'],
  ['20:41:37', 'fails'],
  ['20:43:17', 'ok'],
  ['20:48:17', 'fails'],
];

/**
 * Returns the accepted messages, such as `20:41:42 shop has been down again for 5 s, after 4 min 20 s up`, with their
 * note on unreported failures.
 */
const messages = (): string[] =>
  service.host('pager.test').calls.flatMap(({ at, body, status }) => {
    if (status !== 200) return [];
    const title = JSON.parse(body).text.replace(/^:\w+: (?:Entity 1: )?/, '');
    const note = /It also failed.*?UTC\./.exec(body.replaceAll(`${iso(at).slice(0, 10)} `, ''));
    return [[`${iso(at).slice(11, 19)} ${rounded(title)}`, ...(note ?? [])].join('. ')];
  });

/** Rounds durations, because a request takes some ms. */
const rounded = (title: string): string =>
  title.replace(/(?:(\d+) min )?(\d*[49]) s/g, (_, min = 0, s) => duration((Number(min) * 60 + Number(s) + 1) * 1000));

describe('a check that recovers and fails again within a cooldown', () => {
  it('is reported as down again at the end of the cooldown', async () => {
    const check = await shop({ cooldown_seconds: 60 });
    const reports: Report[] = [
      ['21:03:17', 'fails'],
      ['21:03:33', 'ok'],
      ['21:04:03', 'fails'],
    ];
    await check.lives(reports, '21:30');
    expect(messages()).toEqual(['21:03:17 shop is down', '21:04:17 shop has been down again for 15 s, after 30 s up']);
  });

  it('is reported once in each cooldown, with its present state', async () => {
    const check = await shop();
    await check.lives(FAILURES, '21:30');
    expect(messages()).toEqual([
      '20:36:42 shop is down',
      '20:41:42 shop has been down again for 5 s, after 4 min 20 s up',
      '20:46:42 shop is up again after 1 min 40 s',
      '20:51:42 shop has been down for 3 min 25 s',
    ]);
  });

  it('is reported with the failures that were over before the end of the cooldown', async () => {
    const check = await shop();
    const reports: Report[] = [
      ['20:36', 'fails'],
      ['20:37', 'ok'],
      ['20:38', 'fails'],
      ['20:39', 'ok'],
      ['20:42', 'fails'],
      ['20:43', 'ok'],
      ['20:44', 'fails'],
      ['20:45', 'ok'],
    ];
    await check.lives(reports, '21:30');
    expect(messages()).toEqual([
      '20:36:00 shop is down',
      '20:41:00 shop is up again after 1 min. It also failed without an alert from 20:38:00 UTC to 20:39:00 UTC.',
      '20:46:00 shop is up again after 1 min. It also failed 2 times without an alert, the last from 20:44:00 UTC to 20:45:00 UTC.',
    ]);
  });

  it('is reported with its earlier failures while it is down again', async () => {
    const check = await shop();
    const reports: Report[] = [
      ['20:36', 'fails'],
      ['20:37', 'ok'],
      ['20:38', 'fails'],
      ['20:39', 'ok'],
      ['20:40', 'fails'],
    ];
    await check.lives(reports, '21:30');
    expect(messages()).toEqual([
      '20:36:00 shop is down',
      '20:41:00 shop has been down again for 1 min, after 1 min up. It also failed without an alert from 20:38:00 UTC to 20:39:00 UTC.',
    ]);
  });

  it('is reported with the number of its failures, however many there are', async () => {
    const check = await shop({ cooldown_seconds: 3000 });
    const failures = Array.from({ length: 25 }, (_, i): Report[] => [
      [`20:${31 + i}`, 'fails'],
      [`20:${31 + i}:30`, 'ok'],
    ]);
    await check.lives(failures.flat(), '21:30');
    expect(messages().at(-1)).toMatch(
      /^21:21:00 shop is up again .*It also failed 24 times without an alert, the last/,
    );
  });

  it('is reported in the next alert if its policy has no recovery alerts', async () => {
    const check = await shop({ notify_on_recovery: false });
    await check.lives(FAILURES.slice(0, 4), '20:44');
    expect(messages()).toEqual([
      '20:36:42 shop is down',
      '20:41:42 shop has been down again for 5 s, after 4 min 20 s up',
    ]);
    const reports: Report[] = [
      ['20:45', 'fails'],
      ['20:46', 'ok'],
      ['21:00', 'fails'],
    ];
    await check.lives(reports, '21:30');
    expect(messages().slice(2)).toEqual([
      '21:00:00 shop is down. It also failed without an alert from 20:45:00 UTC to 20:46:00 UTC.',
    ]);
  });

  it('is not reported without late alerts', async () => {
    const check = await shop({ late_alerts: false });
    await check.lives(FAILURES.slice(0, 3), '21:30');
    expect(messages()).toEqual(['20:36:42 shop is down']);
  });

  it('is reported again if the late alert failed on every channel', async () => {
    const check = await shop();
    await check.lives(FAILURES.slice(0, 3), '20:41:40');
    service.host('pager.test').does('fails');
    await service.until('20:42');
    service.host('pager.test').does('answers');
    await service.until('21:30');
    expect(messages()).toEqual([
      '20:36:42 shop is down',
      expect.stringMatching(/^20:42:.. shop has been down again for 1 min .*, after 4 min 20 s up$/),
    ]);
  });

  it('is escalated as a new failure', async () => {
    const check = await shop();
    const { channels } = await check.read('/policy');
    const config = { url: 'https://boss.test/hook' };
    const boss = await service.call('POST', `/v1/checks/${check.id}/policy/channels`, {
      channel_type: 'slack',
      config,
    });
    expect(channels).toHaveLength(1);
    await check.policy({ escalation: [{ after_seconds: 600, channel_ids: [boss.id] }] });
    await check.lives(FAILURES.slice(0, 3), '21:30');
    const calls = service.host('boss.test').calls.map(({ at }) => iso(at).slice(11, 19));
    expect(calls).toEqual(['20:51:42']);
  });
});

describe('a failure that began during another suppression', () => {
  it('is reported as down again when a silence is lifted', async () => {
    const check = await shop({ cooldown_seconds: 0 });
    await check.lives([['20:36', 'fails']], '20:37');
    await check.policy({ silenced: true });
    const reports: Report[] = [
      ['20:38', 'ok'],
      ['20:40', 'fails'],
    ];
    await check.lives(reports, '20:45');
    await check.policy({ silenced: false });
    await service.until('21:30');
    expect(messages()).toEqual([
      '20:36:00 shop is down',
      '20:45:00 shop has been down again for 5 min, after 2 min up',
    ]);
  });

  it('is not reported when it was over before the silence was lifted', async () => {
    const check = await shop({ cooldown_seconds: 0 });
    await check.policy({ silenced: true });
    await check.lives(FAILURES.slice(0, 4), '20:45');
    await check.policy({ silenced: false });
    await service.until('21:30');
    expect(messages()).toEqual([]);
  });

  it('is not reported when it was over before the end of the cooldown and a maintenance window', async () => {
    const check = await shop();
    await check.lives(
      [
        ['20:31', 'fails'],
        ['20:36:10', 'ok'],
      ],
      '20:37',
    );
    await check.maintenance('20:40');
    const reports: Report[] = [
      ['20:38', 'fails'],
      ['20:39', 'ok'],
    ];
    await check.lives(reports, '21:30');
    expect(messages()).toEqual(['20:31:00 shop is down', '20:36:10 shop is up again after 5 min 10 s']);
  });

  it('is reported after a maintenance window although its policy has no recovery alerts', async () => {
    const check = await shop({ cooldown_seconds: 0, notify_on_recovery: false });
    await check.lives(
      [
        ['20:31', 'fails'],
        ['20:32', 'ok'],
      ],
      '20:37',
    );
    await check.maintenance('20:40');
    await check.lives(
      [
        ['20:38', 'fails'],
        ['20:41', 'fails'],
      ],
      '21:30',
    );
    expect(messages()).toEqual(['20:31:00 shop is down', expect.stringMatching(/^20:4.:.. shop is down$/)]);
  });
});

describe('cooldown_on_recovery', () => {
  it('sends the recovery from a reported failure at once if false, and starts no cooldown with it', async () => {
    const check = await shop({ cooldown_on_recovery: false });
    await check.lives(FAILURES, '21:30');
    expect(messages()).toEqual([
      '20:36:42 shop is down',
      '20:37:17 shop is up again after 35 s',
      '20:41:42 shop has been down for 5 s',
      '20:43:17 shop is up again after 1 min 40 s',
      '20:48:17 shop is down',
    ]);
  });

  it('delays the recovery from a failure that no alert has reported, even if false', async () => {
    const check = await shop({ cooldown_on_recovery: false });
    const reports: Report[] = [
      ['20:36', 'fails'],
      ['20:37', 'ok'],
      ['20:38', 'fails'],
      ['20:39', 'ok'],
    ];
    await check.lives(reports, '21:30');
    expect(messages()).toEqual([
      '20:36:00 shop is down',
      '20:37:00 shop is up again after 1 min',
      '20:41:00 shop is up again after 1 min. It also failed without an alert from 20:38:00 UTC to 20:39:00 UTC.',
    ]);
  });

  it('sends a delayed recovery when it is set to false', async () => {
    const check = await shop();
    await check.lives(FAILURES.slice(0, 2), '20:38');
    await check.policy({ cooldown_on_recovery: false });
    await service.until('21:30');
    expect(messages()).toEqual(['20:36:42 shop is down', '20:38:00 shop is up again after 35 s']);
  });
});
