import { type ErrorCode, STATUS_OF } from '#lib/platform/errors.ts';
import { MEANING_OF } from './error-meanings.ts';
import type { JsonSchema } from './json-schemas.ts';
import { RATE_HEADERS } from './openapi-headers.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

/** Returns the `content` of a JSON body. @param more named examples, instead of one */
export const content = (schema: JsonSchema, example?: unknown, more?: Record<string, unknown>): Json => ({
  'application/json': {
    schema,
    ...(more
      ? { examples: Object.fromEntries(Object.entries(more).map(([name, value]) => [name, { value }])) }
      : example !== undefined && { example }),
  },
});

/** Description of WWW-Authenticate. Function URLs rename this header; AWS does not document whether HTTP APIs do. */
const CHALLENGE = 'Bearer. On AWS it may have the name x-amzn-Remapped-WWW-Authenticate.';

/** Returns the description of a response with one of `codes`. */
export function failure(codes: ErrorCode[]): Json {
  const header = (description: string) => ({ description, schema: { type: 'string' } });
  const headers = {
    ...(codes.includes('UNAUTHORIZED') && { 'WWW-Authenticate': header(CHALLENGE) }),
    ...((codes.includes('UNAVAILABLE') || codes.includes('RATE_LIMITED')) && {
      'Retry-After': header('Time to wait in seconds.'),
    }),
    ...(codes.includes('RATE_LIMITED') && RATE_HEADERS),
  };
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { code: { enum: codes } } }],
  };
  // The throttle of the gateway, which applies to all accounts together, has its own response format.
  const gateway = { type: 'object', required: ['message'], properties: { message: text('Message of the gateway.') } };
  return {
    description: codes.map((code) => `${code}: ${MEANING_OF[code]}`).join(' '),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: content(codes.includes('RATE_LIMITED') ? { anyOf: [schema, gateway] } : schema),
  };
}

const text = (description: string) => ({ type: 'string', description });

export const ERROR: JsonSchema = {
  type: 'object',
  description: 'Error with its cause and what to do.',
  required: ['error', 'code'],
  properties: {
    error: text('Human-readable message.'),
    code: { type: 'string', description: 'Error code, for programs.', enum: Object.keys(STATUS_OF) },
    details: {
      type: 'array',
      description: 'Each invalid part, with VALIDATION_ERROR.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: text('Path such as fields.3.name; empty for the whole body.'),
          message: text('Error of this part.'),
        },
        additionalProperties: false,
      },
    },
    request_id: text('Id of the request, with INTERNAL.'),
  },
  additionalProperties: false,
};
