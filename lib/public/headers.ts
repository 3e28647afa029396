/**
 * Time in seconds for which browsers and caches use a published file, and again while they fetch a new one. If it were
 * longer, the first visitor during an outage would see a page that does not report it.
 */
const FRESH_SECONDS = 15;
/** Time in seconds for which a cache may serve a file while the service fails. */
const STALE_SECONDS = 86_400;

export const PUBLIC_CACHING = {
  'cache-control': `public, max-age=${FRESH_SECONDS}, s-maxage=${FRESH_SECONDS}, stale-while-revalidate=${FRESH_SECONDS}, stale-if-error=${STALE_SECONDS}`,
};

/** Caching of badges: a deleted badge is gone within a minute, also at the edge. */
export const BADGE_CACHING = {
  'cache-control': `public, max-age=30, s-maxage=30, stale-while-revalidate=30, stale-if-error=${STALE_SECONDS}`,
};

/**
 * Headers of everything that visitors read without a key. A page shares its origin with the console, so the sandbox
 * gives it an opaque origin: a script in it could neither read a session nor use it. The page itself contains the
 * policy for its style and script, with their hashes, because a stored page can be older than these headers.
 */
export const PUBLIC_HEADERS = {
  'content-security-policy': "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'none'",
  // The address of an unlisted page is a secret.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // The script of the page has an opaque origin and reads the JSON of the page, so every origin may read it.
  'access-control-allow-origin': '*',
} as const;
