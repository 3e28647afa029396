import type * as z from 'zod';
import type { MeWithUse } from '#lib/catalog/me.ts';
import type { EntityState } from '#lib/catalog/states.ts';
import type { TransitionRecord } from '#lib/health/state/transition-record.ts';
import type { Status as StatusRecord } from '#lib/health/status/status.ts';

/** What the API answers, by the types of its own schemas. Types alone: nothing of them is in the page. */
export type Me = z.output<typeof MeWithUse>;
export type Status = StatusRecord;
export type StatusEntity = Status['entities'][number];
export type State = EntityState;
export type Transition = TransitionRecord;
