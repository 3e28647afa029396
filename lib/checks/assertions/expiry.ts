import * as z from 'zod';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { Assertion } from './assertion.ts';
import type { Unreadable } from './body.ts';

/** Expiry of a certificate or domain. `subject`: its name in messages, `certificate` or the domain name. */
export type Expiry = {
  subject: string;
  days_left: number;
  expires_at: string;
  error_kind: 'tls' | 'expiry';
};

/** Returns an expiry, or the problem if its time is unknown. @param at epoch ms, NaN if unknown @param now epoch ms */
export function expiryOf(
  subject: string,
  at: number,
  now: number,
  error_kind: Expiry['error_kind'],
): Expiry | Unreadable {
  if (Number.isNaN(at)) return { problem: `${subject} does not say when it expires` };
  return { subject, days_left: Math.floor((at - now) / DAY_MS), expires_at: new Date(at).toISOString(), error_kind };
}

export const ExpiryProperties = z.object({
  days_left: z.int().describe('Whole days until the certificate or domain expires, if checked.'),
  expires_at: z.iso.datetime().describe('Expiry time of the certificate or domain, if checked.'),
});

/** Returns the expiry properties of a result; none if unknown. */
export const expiryProperties = (
  expiry: Expiry | Unreadable | undefined,
): Partial<z.output<typeof ExpiryProperties>> =>
  !expiry || 'problem' in expiry ? {} : { days_left: expiry.days_left, expires_at: expiry.expires_at };

/** Formats `certificate expires on 2026-12-02, in 9 days`, or `certificate expired on 2026-11-02`. */
export function expiryText({ subject, days_left, expires_at }: Expiry): string {
  const day = expires_at.slice(0, 10);
  if (days_left < 0) return `${subject} expired on ${day}`;
  return `${subject} expires on ${day}, in ${days_left} ${days_left === 1 ? 'day' : 'days'}`;
}

/** Formats `certificate expires on 2026-12-02, in 9 days; at least 21 are required: renew it`. */
export const tooSoonText = (expiry: Expiry, required: number): string =>
  `${expiryText(expiry)}${expiry.days_left < 0 ? '' : `; at least ${required} are required`}: renew it`;

/** Returns an error for each warning that never appears. @param minDays days left below which the check fails */
export const unreachableWarnings = (assertions: readonly Assertion[], minDays: number): ErrorDetail[] =>
  assertions.flatMap(({ source, operator, value, severity }, i) => {
    const requiredDays = Number(value) + (operator === 'greater_than' ? 1 : 0);
    const isMinimum = operator === 'at_least' || operator === 'greater_than';
    const isUnreachable = source === 'days_left' && severity === 'warn' && isMinimum && requiredDays <= minDays;
    const message = `a warning at ${requiredDays} days never appears, because the check fails below ${minDays}`;
    return isUnreachable ? [{ path: `config.assertions.${i}.value`, message }] : [];
  });
