import type { OpenRun } from '#lib/checks/check-item.ts';
import { heartbeatDeadline, type LastHeartbeat } from '#lib/checks/heartbeat.ts';

/**
 * Returns a time (epoch ms) by clocks in Berlin, on a day when they are an hour ahead of UTC. `02:30` is on that day,
 * `+02:30` on the next.
 */
export function at(clock: string): number {
  const [, next, hour, minute, second = '0'] = /^(\+?)(\d\d):(\d\d)(?::(\d\d))?$/.exec(clock)!;
  return Date.UTC(2026, 10, next ? 23 : 22, Number(hour) - 1, Number(minute), Number(second));
}

/** History of a push check, with times as `at` takes them. */
export type Story = {
  config?: Record<string, unknown>;
  /** Last change of settings. Default: 00:00. */
  settings?: string;
  /** Last missed heartbeat. */
  failed?: string;
  /** Newest push. */
  pushed?: string | undefined;
  /** Start of monitoring. Default: always monitored. */
  monitored_since?: string;
  /** Open runs, or their starts. */
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

export const lastHeartbeatOf = ({ pushed, monitored_since }: Story): LastHeartbeat => ({
  last: pushed === undefined ? undefined : at(pushed),
  monitoredSince: monitored_since === undefined ? 0 : at(monitored_since),
});

export const deadlineOf = (story: Story, now = at('+12:00')) =>
  heartbeatDeadline(checkOf(story), lastHeartbeatOf(story), now);
