import * as z from 'zod';
import type { ErrorDetail } from '#lib/platform/errors.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { Assertion } from './assertion.ts';
import type { Unreadable } from './body.ts';

/** Until when something lasts. `what`: as it begins a sentence, `certificate` or the name of a domain. */
export type Expiry = {
  what: string;
  days_left: number;
  /** ISO 8601. */
  expires_at: string;
  error_kind: 'tls' | 'expiry';
};

/** @param at epoch ms, NaN where no date is known; @param now epoch ms */
export function expiryOf(what: string, at: number, now: number, error_kind: Expiry['error_kind']): Expiry | Unreadable {
  if (Number.isNaN(at)) return { problem: `${what} does not say when it expires` };
  return { what, days_left: Math.floor((at - now) / DAY_MS), expires_at: new Date(at).toISOString(), error_kind };
}

/** Members of results of the types that look at it. */
export const ExpiryMembers = z.object({
  days_left: z.int().describe('Whole days until the certificate or the domain expires, where that was looked at.'),
  expires_at: z.iso.datetime().describe('When it expires, where that was looked at.'),
});

/** The members of a result about it; none where it is not known. */
export const expiryMembers = (expiry: Expiry | Unreadable | undefined): Partial<z.output<typeof ExpiryMembers>> =>
  !expiry || 'problem' in expiry ? {} : { days_left: expiry.days_left, expires_at: expiry.expires_at };

/** `certificate expires on 2026-12-02, in 9 days; at least 21 are wanted: renew it` */
export const tooSoon = ({ what, days_left, expires_at }: Expiry, wanted: number): string =>
  `${what} expires on ${expires_at.slice(0, 10)}, in ${days_left} days; at least ${wanted} are wanted: renew it`;

/** Warnings that can never come, as the check fails before them. @param least the fewest days with which it succeeds */
export const idleWarnings = (assertions: readonly Assertion[], least: number): ErrorDetail[] =>
  assertions.flatMap(({ source, operator, value, severity }, i) => {
    const wanted = Number(value) + (operator === 'greater_than' ? 1 : 0);
    const isLeast = operator === 'at_least' || operator === 'greater_than';
    const isIdle = source === 'days_left' && severity === 'warn' && isLeast && wanted <= least;
    const message = `the warning at ${wanted} days can never come: the check fails below ${least}`;
    return isIdle ? [{ path: `config.assertions.${i}.value`, message }] : [];
  });
