import { AppError } from '#lib/platform/errors.ts';
import { isObject } from '#lib/platform/plain-data.ts';
import { type ApiEvent, bodyBytes } from './api-event.ts';
import { sizeProblem } from './json-size.ts';
import { refusal } from './validation.ts';

type JsonBody = { value: Record<string, unknown>; bytes: number };

/** Reads the body as a JSON object; an empty body is `{}`. Throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE. */
export async function readBody(event: ApiEvent, maxBytes: number): Promise<JsonBody> {
  const bytes = await bodyBytes(event, maxBytes);
  if (bytes.length === 0) return { value: {}, bytes: 0 };
  const excess = sizeProblem(bytes);
  if (excess !== undefined) throw refusal([{ path: '', message: excess }]);
  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The body is not valid JSON in UTF-8.', {
      details: [{ path: '', message: (cause as Error).message }],
      cause,
    });
  }
  if (!isObject(value)) {
    throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.', {
      details: [{ path: '', message: 'must be a JSON object' }],
    });
  }
  return { value, bytes: bytes.length };
}

const SURROGATE_ESCAPE = /\\ud[89a-f]/i;
/** JSON.stringify escapes a surrogate only if its other half is missing. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** Parses JSON and rejects text that is not well-formed Unicode, which no store keeps. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (SURROGATE_ESCAPE.test(text) && LONE_SURROGATE.test(JSON.stringify(value))) {
    throw new SyntaxError('A surrogate (\\ud800 to \\udfff) lacks its other half');
  }
  return value;
}
