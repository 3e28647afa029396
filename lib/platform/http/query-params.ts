import * as z from 'zod';
import { text } from '#lib/platform/text.ts';

/** Query parameter with one or more of the given words, separated by commas: `state=down,degraded`. */
export const commaListOf = <Word extends string>(words: readonly Word[]) => {
  const one = `(${words.join('|')})`;
  return z
    .string()
    .regex(new RegExp(`^${one}(,${one})*$`), `must be one or more of ${words.join(', ')}, separated by commas`)
    .transform((value) => value.split(',') as Word[]);
};

export const Slugs = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}(,[A-Za-z0-9._-]{1,64})*$/, 'must be slugs separated by commas')
  .transform((value) => value.split(','));

export const SearchText = text(2, 100);

/** Query parameter with a whole number. @param meaning description, to which the default is added */
export const wholeParam = (min: number, max: number, fallback: number, meaning: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
    .default(fallback)
    .meta({ type: 'integer', minimum: min, maximum: max, description: `${meaning} Default ${fallback}.` });

/** Returns query parameters by name: all values if the schema has a list, else the first. Pure. */
export const valuesOf = (schema: z.ZodObject, search: URLSearchParams): Record<string, string | string[] | null> =>
  Object.fromEntries(
    [...search.keys()].map((name) => [name, takesAll(schema, name) ? search.getAll(name) : search.get(name)]),
  );

const takesAll = ({ shape }: z.ZodObject, name: string): boolean => Object.hasOwn(shape, name) && isList(shape[name]);

function isList(schema: z.core.$ZodType | undefined): boolean {
  const def = schema?._zod.def as { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType } | undefined;
  return def?.type === 'array' || (def !== undefined && isList(def.innerType ?? def.in));
}
