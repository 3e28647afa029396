import * as z from 'zod';

/** State of a check, derived from its last results (docs/use/states-and-history.md#states). */
export const CheckState = z.enum(['up', 'degraded', 'down', 'unknown']);
export type CheckState = z.infer<typeof CheckState>;

export const EntityState = z
  .enum(['up', 'degraded', 'down', 'unknown'])
  .meta({ id: 'EntityState' })
  .describe(
    'Derived from the enabled checks, except unknown ones. up: all up. down: all down. unknown: no known state. degraded: otherwise.',
  );
export type EntityState = z.infer<typeof EntityState>;
