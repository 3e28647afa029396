import * as z from 'zod';

/** A request as it reaches a vendor. Header names in lower case. */
export type Asked = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: string;
};
export type Answered = { status: number; headers?: Record<string, string>; body?: unknown };

/** A service of others: what it takes, by what it has published, and what it answers. */
export type Vendor = (asked: Asked) => Answered;

/** The body, by a schema; what is wrong with it, a line each. */
export function parsed<Schema extends z.ZodType>(schema: Schema, { body }: Asked) {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { wrong: ['the body is no JSON'] };
  }
  const result = schema.safeParse(json);
  if (result.success) return { data: result.data as z.output<Schema> };
  return { wrong: result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
}

/** At most so many characters, as people count them. */
export const atMost = (characters: number) =>
  z.string().refine((text) => [...text].length <= characters, `more than ${characters} characters`);
export const said = (characters: number) => atMost(characters).refine((text) => text.trim() !== '', 'is empty');
export const Url = z.url({ protocol: /^https?$/ });
