import type { AlertDecision, AlertReason } from '#lib/alerting/decide/transition.ts';
import { iso } from '#lib/platform/time.ts';

/** What a transition holds of an alert that was planned at `at` (epoch ms). */
export const plannedAlert = (deliveries: string[], at: number): AlertDecision => ({
  decision: 'planned',
  reason: null,
  deliveries,
  urgency: 'high',
  attributed_to: null,
  facts: {},
  decided_at: iso(at),
});

/** The same of one that was skipped. */
export const skippedAlert = (reason: AlertReason, at: number): AlertDecision =>
  Object.assign(plannedAlert([], at), { decision: 'skipped' as const, reason });
