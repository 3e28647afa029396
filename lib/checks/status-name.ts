import { STATUS_CODES } from '#lib/platform/net/node-http.ts';

/** A status of HTTP as people know it: `503 (Service Unavailable)`. */
export const statusName = (status: number): string =>
  STATUS_CODES[status] ? `${status} (${STATUS_CODES[status]})` : `${status}`;
