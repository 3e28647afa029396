import type * as z from 'zod';

/** What a schema names of an item, and nothing else: the record that is shown of it. */
export const pick = <Schema extends z.ZodObject>(schema: Schema, item: z.output<Schema>): z.output<Schema> =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (name in item ? [[name, item[name as keyof typeof item]]] : [])),
  ) as z.output<Schema>;
