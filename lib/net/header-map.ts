import * as z from 'zod';
import { atMost } from '#lib/platform/http/json-size.ts';

const MAX_HEADERS = 20;
const MAX_NAME = 200;
/** Characters of all values together: what most servers take of a whole request's headers. */
const MAX_VALUES = 16 * 1024;

/** RFC 9110: a token, and visible characters with inner blanks. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** They frame the message or belong to the connection, which are ours (RFC 9110, 7.6.1). */
const OWN = new Set([
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

/** Each must be one that may be sent, and none there twice. */
const Headers = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const wrong = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!NAME.test(name) || name.length > MAX_NAME) wrong([name], 'must be a header name: letters, digits and hyphens');
    else if (OWN.has(lower)) wrong([name], 'is a header that the service sets by itself');
    else if (seen.has(lower)) wrong([name], 'is there twice; upper and lower case are the same');
    if (!VALUE.test(value)) wrong([name], 'must be a header value: one line, Latin-1 characters');
    seen.add(lower);
  }
  const length = Object.values(headers).reduce((sum, value) => sum + value.length, 0);
  if (length > MAX_VALUES) wrong([], `must hold at most ${MAX_VALUES} characters in all values together`);
});

/** Headers that a tenant adds to a request: a map of at most 20. */
export const HeaderMap = atMost(MAX_HEADERS, Headers, `must hold at most ${MAX_HEADERS} headers`);
