import type * as z from 'zod';

/** What a schema names of an item, and nothing else: the record that is shown of it. */
export function pick<Schema extends z.ZodObject>(schema: Schema, item: z.output<Schema>): z.output<Schema> {
  const record: Record<string, unknown> = {};
  // Lists have a thousand of them.
  for (const name in schema.shape)
    if (item[name as keyof typeof item] !== undefined) record[name] = item[name as keyof typeof item];
  return record as z.output<Schema>;
}
