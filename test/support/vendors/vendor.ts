import * as z from 'zod';

/** A request to a vendor. Header names in lower case. */
export type VendorRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: string;
};
export type VendorResponse = { status: number; headers?: Record<string, string>; body?: unknown };

/** An external service: accepts requests by its published rules and returns its responses. */
export type Vendor = (request: VendorRequest) => VendorResponse;

/** Parses the body by a schema; `wrong` has a line for each error. */
export function parsed<Schema extends z.ZodType>(schema: Schema, { body }: VendorRequest) {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { wrong: ['the body is not JSON'] };
  }
  const result = schema.safeParse(json);
  if (result.success) return { data: result.data as z.output<Schema> };
  return { wrong: result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
}

/** Returns the schema of a text of at most this many code points. */
export const atMost = (characters: number) =>
  z.string().refine((text) => [...text].length <= characters, `more than ${characters} characters`);
/** Returns the schema of such a text that is not blank. */
export const nonEmpty = (characters: number) => atMost(characters).refine((text) => text.trim() !== '', 'is empty');
export const Url = z.url({ protocol: /^https?$/ });
