import { STATUS_CODES } from './node-http.ts';

/** Whether a status is 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Returns why a response failed: `the target answered 503 …`. @param urlSetting setting with the address */
export function failureReason(responder: string, status: number, urlSetting: string): string {
  const response = `${responder} answered ${status} ${STATUS_CODES[status] ?? ''}`.trim();
  return is3xx(status)
    ? `${response}; redirects are not followed, so put the final address into ${urlSetting}`
    : response;
}

export const is3xx = (status: number): boolean => status >= 300 && status < 400;

/** `503 (Service Unavailable)` */
export const statusName = (status: number): string =>
  STATUS_CODES[status] ? `${status} (${STATUS_CODES[status]})` : `${status}`;
