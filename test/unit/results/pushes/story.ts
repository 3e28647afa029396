import type { OpenRun } from '#lib/checks/check-item.ts';
import { heartbeatDeadline, type LastHeartbeat } from '#lib/checks/heartbeat.ts';

/** Time on a day when clocks in Berlin are an hour ahead of UTC, epoch ms: `02:30`, and `+02:30` of the next day. */
export function at(clock: string): number {
  const [, next, hour, minute, second = '0'] = /^(\+?)(\d\d):(\d\d)(?::(\d\d))?$/.exec(clock)!;
  return Date.UTC(2026, 10, next ? 23 : 22, Number(hour) - 1, Number(minute), Number(second));
}

export type Story = {
  config?: Record<string, unknown>;
  settings?: string;
  failed?: string;
  pushed?: string | undefined;
  watched?: string;
  runs?: Partial<OpenRun>[] | string[];
};

export const NIGHTLY = { schedule: '30 2 * * *', timezone: 'Europe/Berlin' };

export const checkOf = ({ config = {}, settings = '00:00', failed, runs }: Story) => ({
  interval_seconds: 600,
  rev: 1,
  config,
  settings_at: at(settings),
  ...(failed && { missed_at: at(failed) }),
  ...(runs && {
    runs: runs.map((run): OpenRun => {
      if (typeof run !== 'string') return { started_at: 0, received_at: run.started_at ?? 0, ...run };
      return { started_at: at(run), received_at: at(run) };
    }),
  }),
});

export const heardOf = ({ pushed, watched }: Story): LastHeartbeat => ({
  last: pushed === undefined ? undefined : at(pushed),
  monitoredSince: watched === undefined ? 0 : at(watched),
});

export const deadlineOf = (story: Story, now = at('+12:00')) => heartbeatDeadline(checkOf(story), heardOf(story), now);
