import * as z from 'zod';
import { atMost } from '#lib/platform/http/json-size.ts';

const MAX_HEADERS = 20;
const MAX_NAME = 200;
/** Maximum characters of all values: a common limit of servers for the headers of a request. */
const MAX_VALUES = 16 * 1024;

/** RFC 9110: a name is a token; a value has visible characters, spaces and tabs. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that frame the message or belong to the connection, which the service controls (RFC 9110, 7.6.1). */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const Headers = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const reject = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!NAME.test(name)) reject([name], 'must be a header name: letters, digits, hyphens and other token characters');
    else if (name.length > MAX_NAME) reject([name], `must have at most ${MAX_NAME} characters`);
    else if (RESERVED.has(lower)) reject([name], 'must not be set: it belongs to the connection');
    else if (seen.has(lower)) reject([name], 'is a duplicate; names are case-insensitive');
    if (!VALUE.test(value)) reject([name], 'must be a header value: one line, Latin-1 characters');
    seen.add(lower);
  }
  const length = Object.values(headers).reduce((sum, value) => sum + value.length, 0);
  if (length > MAX_VALUES) reject([], `must have at most ${MAX_VALUES} characters in all values together`);
});

export const HeaderMap = atMost(MAX_HEADERS, Headers, `must have at most ${MAX_HEADERS} headers`);
