import * as z from 'zod';
import { text } from '#lib/platform/text.ts';

/** A query parameter of one or several of a few words, with commas between: `state=down,degraded`. */
export const someOf = <Word extends string>(words: readonly Word[]) => {
  const one = `(${words.join('|')})`;
  return z
    .string()
    .regex(new RegExp(`^${one}(,${one})*$`), `must be of ${words.join(', ')}; several with commas between`)
    .transform((value) => value.split(',') as Word[]);
};

/** A query parameter of one or several slugs, with commas between. */
export const Slugs = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}(,[A-Za-z0-9._-]{1,64})*$/, 'must be slugs with commas between')
  .transform((value) => value.split(','));

/** A query parameter with words that are looked for. */
export const Words = text(2, 100);

/**
 * The parameters of a query by their names, for its schema: of one that a schema has as a list all values, of any other
 * that is there twice the first. Pure.
 */
export const valuesOf = (schema: z.ZodObject, search: URLSearchParams): Record<string, string | string[] | null> =>
  Object.fromEntries(
    [...search.keys()].map((name) => [name, takesAll(schema, name) ? search.getAll(name) : search.get(name)]),
  );

const takesAll = ({ shape }: z.ZodObject, name: string): boolean => Object.hasOwn(shape, name) && isList(shape[name]);

/** Whether what a schema takes is a list, whatever is made of it. */
function isList(schema: z.core.$ZodType | undefined): boolean {
  const def = schema?._zod.def as { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType } | undefined;
  return def?.type === 'array' || (def !== undefined && isList(def.innerType ?? def.in));
}
