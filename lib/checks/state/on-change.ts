import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { TransitionCause } from './transition.ts';

/** A state change of a check before it is written. Times in epoch ms. */
export type StateChange = {
  check: CheckItem;
  to: CheckState;
  cause: TransitionCause;
  entity_state: EntityState;
  transition: { transition_id: string; sk: string; expires_at: number };
  /** Time of the transition; always after the previous transition of the entity. */
  at: number;
  /** Current time; can be before `at` if a fast clock was set back. */
  now: number;
  effective_at: number;
};

/** Additions of alerting to a state change, committed in the same transaction. */
export type Consequences = {
  transition: object;
  entity: Pick<EntityItem, 'incident'>;
  alerts: CheckItem['alerts'];
  writes: Write[];
  /** Deadlines to send (sendDeadlines) after the commit. */
  deadlines: DueDeadline[];
};

/** Data for the decision, from strongly consistent reads. `decide` is pure. */
export type ReadForChange = { entity: EntityItem; decide(change: StateChange, token: string): Consequences };

/** Hook for alerting in state changes (lib/alerting/on-change.ts). */
export type OnChange = {
  /** Returns undefined if the entity was deleted. */
  read(env: Env, check: CheckItem): Promise<ReadForChange | undefined>;
};

export type StateEnv = Env & { onChange: OnChange };
export type StateContext = Context & { onChange: OnChange };
