import * as z from 'zod';

/** What its last results say of a check (docs/use/states-and-history.md#states). */
export const CheckState = z.enum(['up', 'degraded', 'down', 'unknown']);
export type CheckState = z.infer<typeof CheckState>;

export const EntityState = z
  .enum(['up', 'degraded', 'down', 'unknown'])
  .meta({ id: 'EntityState' })
  .describe(
    'From the enabled checks of the entity that have a state: none: unknown; all up: up; all down: down; else degraded.',
  );
export type EntityState = z.infer<typeof EntityState>;
