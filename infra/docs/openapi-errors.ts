import { type ErrorCode, STATUS_OF } from '#lib/platform/errors.ts';
import { MEANING_OF } from './error-meanings.ts';
import type { JsonSchema } from './json-schemas.ts';
import { RATE_HEADERS } from './openapi-headers.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;

/** A body of JSON in an OpenAPI document. @param more named examples, in place of one */
export const content = (schema: JsonSchema, example?: unknown, more?: Record<string, unknown>): Json => ({
  'application/json': {
    schema,
    ...(more
      ? { examples: Object.fromEntries(Object.entries(more).map(([name, value]) => [name, { value }])) }
      : example !== undefined && { example }),
  },
});

/** True of function URLs; of HTTP APIs nobody says. */
const CHALLENGE = 'Bearer. Where AWS answers, it may be called x-amzn-Remapped-WWW-Authenticate.';

/** An answer that says what was wrong. */
export function failure(codes: ErrorCode[]): Json {
  const header = (description: string) => ({ description, schema: { type: 'string' } });
  const headers = {
    ...(codes.includes('UNAUTHORIZED') && { 'WWW-Authenticate': header(CHALLENGE) }),
    ...((codes.includes('UNAVAILABLE') || codes.includes('RATE_LIMITED')) && { 'Retry-After': header('Seconds.') }),
    ...(codes.includes('RATE_LIMITED') && RATE_HEADERS),
  };
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { code: { enum: codes } } }],
  };
  // A gateway that has had too much, of all accounts together, answers in its own way.
  const gateway = { type: 'object', required: ['message'], properties: { message: text('Of the gateway.') } };
  return {
    description: codes.map((code) => `${code}: ${MEANING_OF[code]}`).join(' '),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: content(codes.includes('RATE_LIMITED') ? { anyOf: [schema, gateway] } : schema),
  };
}

const text = (description: string) => ({ type: 'string', description });

/** The schema of every error. */
export const ERROR: JsonSchema = {
  type: 'object',
  description: 'What was wrong, where, and what to do.',
  required: ['error', 'code'],
  properties: {
    error: text('A sentence.'),
    code: { type: 'string', description: 'What kind of error it is, for programs.', enum: Object.keys(STATUS_OF) },
    details: {
      type: 'array',
      description: 'With VALIDATION_ERROR: each wrong place.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: text('fields.3.name; empty for the whole body.'), message: text('What is wrong there.') },
        additionalProperties: false,
      },
    },
    request_id: text('With INTERNAL.'),
  },
  additionalProperties: false,
};
