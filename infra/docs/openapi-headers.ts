// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/** Headers that many answers have, by name: `components.headers`. */
export const HEADERS: Json = {
  'X-Request-Id': { description: 'Name it when you report a problem.', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: 'The rate of the account: its class, `q` requests at once, `w` seconds until all are there again.',
    schema: { type: 'string', examples: ['"read";q=5000;w=10'] },
  },
  RateLimit: {
    description: '`r` requests are left, all of them again in `t` seconds. Where nothing is limited neither is sent.',
    schema: { type: 'string', examples: ['"read";r=4990;t=1'] },
  },
  ETag: {
    description: 'Of an answer of more than 1,024 characters: for If-None-Match of the next request.',
    schema: { type: 'string', examples: ['W/"Zm9vYmFyYmF6cXV4Zm9vYmFy"'] },
  },
};

/** A reference to each of some of them. */
export const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Where an account stands with its rate. */
export const RATE_HEADERS = headerRefs('RateLimit-Policy', 'RateLimit');

/** The answer to a read whose If-None-Match still holds. */
export const NOT_MODIFIED: Json = {
  description: 'Nothing has changed since the answer whose ETag If-None-Match names. It has no body.',
  headers: headerRefs('X-Request-Id', 'ETag'),
};
