import type * as z from 'zod';

/** The members of an item that a schema names, in its order; of its own level, as they are. What is absent stays so. */
export function pick<Schema extends z.ZodObject>(schema: Schema, item: z.output<Schema>): z.output<Schema> {
  const members: Record<string, unknown> = item;
  const names = Object.keys(schema.shape).filter((name) => members[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, members[name]])) as z.output<Schema>;
}
