import { STATUS_CODES } from './node-http.ts';

/** Whether a status is one of success: 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Why an answer is no success, for people: `the target answered 503 Service Unavailable`.
 * @param url which setting holds the address, for an answer that leads elsewhere
 */
export function failureReason(who: string, status: number, url: string): string {
  const answer = `${who} answered ${status} ${STATUS_CODES[status] ?? ''}`.trim();
  return isRedirect(status) ? `${answer}; redirects are not followed, so put the final address into ${url}` : answer;
}

export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** `503 (Service Unavailable)` */
export const statusName = (status: number): string =>
  STATUS_CODES[status] ? `${status} (${STATUS_CODES[status]})` : `${status}`;
