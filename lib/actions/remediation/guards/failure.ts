import type { Guard } from '#lib/actions/remediation/guard.ts';

/** A hold is decided soon, and lasts where its cause is known (ms). */
const HOLD_MS = 15_000;
const EXPLAINED_MS = 60_000;

export const alreadyHealthy: Guard = {
  name: 'already_healthy',
  judge: ({ is_healthy }) => (is_healthy ? { stops: 'the check has recovered' } : {}),
};

/** Where another failure is the cause, repairing this one repairs nothing; while that is being found out, it waits. */
export const dependency: Guard = {
  name: 'dependency',
  judge({ dependency, now }) {
    if (!dependency) return {};
    const { root } = dependency;
    if (root === null) return { stops: 'what it follows from is being found out', until: now + HOLD_MS, waits: true };
    return { stops: `it follows from the failure of ${root}`, until: now + EXPLAINED_MS };
  },
};

/** Planned work is not worked against; what is still down at its end is repaired then. */
export const maintenance: Guard = {
  name: 'maintenance',
  judge: ({ window }) => (window ? { stops: 'a maintenance window is open', until: window.until } : {}),
};

/** Whoever has acknowledged is at it. */
export const acknowledged: Guard = {
  name: 'acknowledged',
  judge: ({ acknowledged }) => (acknowledged ? { stops: `${acknowledged.by} has acknowledged it` } : {}),
};
