// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

/** Common response headers, by name: `components.headers`. */
export const HEADERS: Json = {
  'X-Request-Id': {
    description: 'Id of the request; include it when you report a problem.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Rate of the account: its class, a burst of `q` requests, refilled in `w` seconds.',
    schema: { type: 'string', examples: ['"read";q=5000;w=10'] },
  },
  RateLimit: {
    description: '`r` requests remain; the full burst is available again in `t` seconds. Absent without limits.',
    schema: { type: 'string', examples: ['"read";r=4990;t=1'] },
  },
  ETag: {
    description: 'Tag of a response of more than 1,024 characters, for If-None-Match.',
    schema: { type: 'string', examples: ['W/"Zm9vYmFyYmF6cXV4Zm9vYmFy"'] },
  },
};

export const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const RATE_HEADERS = headerRefs('RateLimit-Policy', 'RateLimit');

export const NOT_MODIFIED: Json = {
  description: 'Not changed since the response with the ETag of If-None-Match. No body.',
  headers: headerRefs('X-Request-Id', 'ETag'),
};
