import type { AlertDecision, AlertReason } from '#lib/alerting/decide/transition.ts';
import { iso } from '#lib/platform/time.ts';

/** Returns the decision in a transition whose alert was planned at `at` (epoch ms). */
export const plannedAlert = (deliveries: string[], at: number): AlertDecision => ({
  decision: 'planned',
  reason: null,
  deliveries,
  urgency: 'high',
  attributed_to: null,
  facts: {},
  decided_at: iso(at),
});

/** Returns the decision in a transition whose alert was skipped. */
export const skippedAlert = (reason: AlertReason, at: number): AlertDecision =>
  Object.assign(plannedAlert([], at), { decision: 'skipped' as const, reason });
