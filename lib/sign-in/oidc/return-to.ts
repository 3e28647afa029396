import * as z from 'zod';

/**
 * Where the browser goes after a sign-in: a path of this service, with one slash at its beginning. Printable ASCII
 * without backslashes, as browsers read `/\evil.example`, `//evil.example` and `/<tab>/evil.example` as another host
 * (WHATWG URL, 4.4).
 */
export const ReturnTo = z
  .string()
  .max(500)
  .regex(
    /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/,
    'must be a path of this service, such as /#/checks: one slash at its beginning, no backslash, no spaces',
  );
