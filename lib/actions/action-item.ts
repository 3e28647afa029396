import * as z from 'zod';
import type { Remediation } from '#lib/actions/remediation/remediation.ts';
import type { Item } from '#lib/platform/ports.ts';

export const HttpMethod = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** What starts a run. */
export const Trigger = z.enum(['manual', 'state_change', 'schedule']);
export type Trigger = z.infer<typeof Trigger>;

/** The state that fires an action; empty: any. */
export const TriggerState = z.enum(['down', 'degraded', 'up', '']);
type TriggerState = z.infer<typeof TriggerState>;

/** An outbound call as a tenant describes it, secrets included. 0.5 KB and its templates and headers. */
export type ActionItem = Item & {
  v: string;
  tenant_id: string;
  id: string;
  name: string;
  url: string;
  method: z.infer<typeof HttpMethod>;
  headers: Record<string, string>;
  body_template: string;
  /** In canonical form; empty: any. */
  allowed_hosts: string[];
  trigger_type: Trigger;
  check_id: string | null;
  trigger_to_state: TriggerState;
  interval_seconds: number | null;
  timeout_ms: number;
  /** It is guarded, and what it does is verified. */
  remediation: Remediation | null;
  created_at: string;
  updated_at: string;
};

/** How many actions a tenant has. */
export type ActionCountItem = Item & { v: string; count: number };

/** Under a check: an action that its transitions may fire, with what decides whether they do. About 150 bytes. */
export type BoundActionItem = Item & { action_id: string; trigger_to_state: TriggerState; created_at: string };
