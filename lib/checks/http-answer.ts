import type { HttpReply, HttpRequest } from '#lib/platform/net/net.ts';
import type { Assertion } from './assertions/assertion.ts';
import { type Body, bodyUseOf, keptBody, searchedBody, sizeText, type Unreadable } from './assertions/body.ts';
import { type Expiry, expiryOf } from './assertions/expiry.ts';
import type { Facts } from './assertions/reading.ts';

/** Of a body so much is read. */
const MAX_BODY_BYTES = 1024 * 1024;

/** What of an answer is to be read: `find` is a text that must be in the body of an answer of the wanted status. */
type Wanted = { assertions?: readonly Assertion[] | undefined; find: string; status: number | undefined };

const wantsExpiry = (assertions: readonly Assertion[] = []): boolean =>
  assertions.some(({ source }) => source === 'days_left');

/** How a request asks for what is to be read, and for nothing else: mostly the headers say it all. */
export function readingFor({
  assertions,
  find,
  status,
}: Wanted): Pick<HttpRequest, 'max_body_bytes' | 'find' | 'reads_on' | 'reads_certificate'> {
  const use = bodyUseOf(assertions);
  const certificate = wantsExpiry(assertions) ? { reads_certificate: true } : {};
  if (!use && find === '') return { max_body_bytes: 0, ...certificate };
  const body = { max_body_bytes: MAX_BODY_BYTES, ...certificate };
  if (!use) return { ...body, find: { texts: [find], ...(status !== undefined && { status }) } };
  if (use.isKept) return { ...body, reads_on: true };
  return { ...body, find: { texts: find === '' ? use.searched : [...use.searched, find] } };
}

/** What is known of an answer, for assertions. `body` is there where it was read. @param now epoch ms */
export function factsOf(reply: HttpReply, assertions: readonly Assertion[] | undefined, now: number): Facts {
  const { status, headers, latency_ms, valid_to } = reply;
  return {
    status_code: status,
    latency_ms,
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    ...(bodyUseOf(assertions) && { body: bodyOf(reply) }),
    ...(wantsExpiry(assertions) && { expiry: expiryIn(valid_to, now) }),
  };
}

function expiryIn(validTo: number | undefined, now: number): Expiry | Unreadable {
  if (validTo === undefined)
    return { problem: 'days_left: the answer did not come over TLS, so there is no certificate' };
  return expiryOf('certificate', validTo, now, 'tls');
}

function bodyOf({ headers, body, kept, search }: HttpReply): Body | Unreadable {
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') {
    return { problem: `the server sent the body ${encoding}-encoded though it was asked not to` };
  }
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim();
  if (search) return searchedBody(search.found, { bytes: search.bytes, isCut: search.bytes >= MAX_BODY_BYTES, type });
  return keptBody(body, { bytes: kept?.bytes ?? 0, isCut: kept?.goes_on ?? false, type });
}

/** Why a text is not in the body that was read for it, in a few words. */
export function notFoundIn({ headers, kept, search }: HttpReply, method: string): string {
  if (method === 'HEAD') return 'a HEAD response has no body: use GET';
  const encoding = headers['content-encoding'];
  if (encoding) return `the server sent it ${encoding}-encoded though it was asked not to`;
  const bytes = (search ?? kept)?.bytes ?? 0;
  return bytes >= MAX_BODY_BYTES ? 'searched its first 1 MB' : `searched ${sizeText(bytes)}`;
}
