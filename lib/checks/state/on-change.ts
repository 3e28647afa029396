import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { TransitionCause } from './transition.ts';

/** A change of a check's state that is about to be written. Times in epoch ms. */
export type StateChange = {
  /** The check as it was read. */
  check: CheckItem;
  to: CheckState;
  cause: TransitionCause;
  /** State of the entity with this change. */
  entity_state: EntityState;
  transition: { transition_id: string; sk: string; expires_at: number };
  /** Time of the transition, later than every earlier one of the entity. */
  at: number;
  /** The present time, which may be earlier than `at` after a clock that ran ahead was set back. */
  now: number;
  effective_at: number;
};

/** What alerting adds to a change of state. All of it is written in the transaction of the change, or nothing is. */
export type Consequences = {
  /** Further properties of the transition, which checks and results do not read. */
  transition: object;
  entity: Pick<EntityItem, 'incident'>;
  alerts: CheckItem['alerts'];
  writes: Write[];
  /** Deadlines to send (sendDeadlines) once it is written. */
  deadlines: DueDeadline[];
};

/** One strong read of all that a change is decided on. `decide` is pure. */
export type ReadForChange = { entity: EntityItem; decide(change: StateChange, token: string): Consequences };

/** The hook by which alerting takes part in changes of state (lib/alerting/on-change.ts). */
export type OnChange = {
  /** Reads the entity and all that the decision needs; undefined when the entity is gone. */
  read(env: Env, check: CheckItem): Promise<ReadForChange | undefined>;
};

export type StateEnv = Env & { onChange: OnChange };
export type StateContext = Context & { onChange: OnChange };
