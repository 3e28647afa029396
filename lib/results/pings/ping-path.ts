import { CHECK_SLUG } from '#lib/checks/slug.ts';
import type { PingKind } from '#lib/results/result.ts';

/** Who is pinged: a check by its UUID, in lower case, or one of the account of a ping key by its slug. */
export type PingTarget = { uuid: string } | { key: string; slug: string };

/** What a path says. `exit_status`: the number at its end; null where there is none. */
export type PingPath = { target: PingTarget; kind: PingKind; exit_status: number | null };

/** 8-4-4-4-12 hexadecimal digits, in either case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** 128 bits of base64url. */
const PING_KEY = /^[\w-]{22}$/;
/** As Healthchecks has it; one with capitals, or too long a one, is refused rather than not found. */
const SLUG_LIKE = /^[\w-]+$/;

/**
 * Pure: what a path below `/ping/` means. `unknown`: it leads nowhere; `invalid`: it is a ping, but not a possible one
 * (docs/use/heartbeats.md#pings).
 */
export function readPingPath(path: string): PingPath | 'unknown' | 'invalid' {
  const [empty, ping, first = '', ...rest] = path.split('/');
  if (empty !== '' || ping !== 'ping') return 'unknown';
  if (UUID.test(first)) {
    // One slash at the end of the bare address is taken.
    const [action = '', ...more] = rest;
    return more.length > 0 ? 'unknown' : withAction({ uuid: first.toLowerCase() }, action);
  }
  const [slug = '', action, ...more] = rest;
  if (!PING_KEY.test(first) || !SLUG_LIKE.test(slug) || action === '' || more.length > 0) return 'unknown';
  const said = withAction({ key: first, slug }, action ?? '');
  return said === 'unknown' || CHECK_SLUG.test(slug) ? said : 'invalid';
}

function withAction(target: PingTarget, action: string): PingPath | 'unknown' | 'invalid' {
  if (action === '') return { target, kind: 'success', exit_status: null };
  if (action === 'start' || action === 'fail' || action === 'log') return { target, kind: action, exit_status: null };
  if (!/^\d+$/.test(action)) return 'unknown';
  const exit_status = Number(action);
  if (exit_status > 255) return 'invalid';
  return { target, kind: exit_status === 0 ? 'success' : 'fail', exit_status };
}
