/**
 * Headers that the local gateway (infra/local/http/http.ts) and CloudFront (infra/aws/edge/response-headers.ts) add.
 * The API and the console set their own: lib/platform/http/api-event.ts and lib/page/headers.ts.
 */

export const HSTS_SECONDS = 31_536_000;

/** Headers of responses over TLS. */
export const HTTPS_HEADERS = { 'strict-transport-security': `max-age=${HSTS_SECONDS}` };
