import { type Assertion, acceptsOnly, decidesStatus } from '#lib/checks/assertions/assertion.ts';
import { type Body, bodyUseOf, sizeText, type Unreadable } from '#lib/checks/assertions/body.ts';
import { type Expiry, expiryOf } from '#lib/checks/assertions/expiry.ts';
import type { ProbeFacts } from '#lib/checks/assertions/observation.ts';
import { failed, succeeded } from '#lib/checks/outcome.ts';
import { is3xx, statusName } from '#lib/net/http-status.ts';
import type { HttpReply, HttpRequest } from '#lib/net/net.ts';
import { shorten } from '#lib/platform/text.ts';
import { hasText } from '#lib/platform/text-finder.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Settings that decide what to read. The text `find` is searched for in a response with `status`; undefined: any. */
type BodyNeeds = { assertions?: readonly Assertion[] | undefined; find: string; status: number | undefined };

const needsExpiry = (assertions: readonly Assertion[] = []): boolean =>
  assertions.some(({ source }) => source === 'days_left');

/** Returns request options that read only what is needed: often the headers suffice. */
export function bodyReadOptions({
  assertions,
  find,
  status,
}: BodyNeeds): Pick<HttpRequest, 'max_body_bytes' | 'find' | 'reads_on' | 'reads_certificate'> {
  const use = bodyUseOf(assertions);
  const certificate = needsExpiry(assertions) ? { reads_certificate: true } : {};
  if (!use && find === '') return { max_body_bytes: 0, ...certificate };
  const body = { max_body_bytes: MAX_BODY_BYTES, ...certificate };
  if (!use) return { ...body, find: { texts: [find], ...(status !== undefined && { status }) } };
  if (use.isKept) return { ...body, reads_on: true };
  return { ...body, find: { texts: find === '' ? use.searched : [...use.searched, find] } };
}

/** Returns the facts of a response for assertions; with `body` if one of them uses it. @param now epoch ms */
export function factsOf(reply: HttpReply, assertions: readonly Assertion[] | undefined, now: number): ProbeFacts {
  const { status, headers, latency_ms, valid_to } = reply;
  return {
    status_code: status,
    latency_ms,
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    ...(bodyUseOf(assertions) && { body: bodyOf(reply) }),
    ...(needsExpiry(assertions) && { expiry: expiryIn(valid_to, now) }),
  };
}

function expiryIn(validTo: number | undefined, now: number): Expiry | Unreadable {
  if (validTo === undefined) return { problem: 'days_left: the response did not use TLS, so there is no certificate' };
  return expiryOf('certificate', validTo, now, 'tls');
}

function bodyOf({ headers, body: text, kept, search }: HttpReply): Body | Unreadable {
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') {
    return { problem: `the server sent the body ${encoding}-encoded although the request excluded it` };
  }
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim();
  if (search) return { ...search, isCut: search.bytes >= MAX_BODY_BYTES, type };
  return { text, bytes: kept?.bytes ?? 0, isCut: kept?.goes_on ?? false, type };
}

type ExpectedResponse = {
  method: string;
  expected_status: number;
  body_contains: string;
  config: { assertions?: readonly Assertion[] | undefined };
};

/** Returns the expected status, undefined if assertions decide, and whether all accepted statuses redirect. */
export function expectedStatus({ expected_status, config }: ExpectedResponse): {
  only: number | undefined;
  redirects: boolean;
} {
  const deciding = (config.assertions ?? []).filter(decidesStatus);
  if (deciding.length === 0) return { only: expected_status, redirects: is3xx(expected_status) };
  return { only: undefined, redirects: acceptsOnly(deciding, is3xx) };
}

/** Evaluates status and text of a response, but no assertions. @param expected status; any if undefined */
export function evaluateResponse(
  { method, body_contains }: ExpectedResponse,
  reply: HttpReply,
  expected: number | undefined,
) {
  const { status, headers, body, search, latency_ms } = reply;
  if (expected !== undefined && status !== expected) {
    const hint = is3xx(status) && headers.location ? ': it redirects, and redirects are not followed here' : '';
    return failed('status', `expected status ${expected}, got ${statusName(status)}${hint}`, latency_ms, status);
  }
  const isFound = search ? search.found.includes(body_contains) : hasText(body, body_contains);
  if (isFound || body_contains === '') return succeeded(latency_ms, status);
  const text = JSON.stringify(shorten(body_contains, 100));
  const message = `the body does not contain ${text} (${notFoundIn(reply, method)})`;
  return failed('body', message, latency_ms, status);
}

function notFoundIn({ headers, kept, search }: HttpReply, method: string): string {
  if (method === 'HEAD') return 'a HEAD response has no body: use GET';
  const encoding = headers['content-encoding'];
  if (encoding) return `the server sent it ${encoding}-encoded although the request excluded it`;
  const bytes = (search ?? kept)?.bytes ?? 0;
  return bytes >= MAX_BODY_BYTES ? 'searched its first 1 MB' : `searched ${sizeText(bytes)}`;
}
