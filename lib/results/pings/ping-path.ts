import { CHECK_SLUG } from '#lib/checks/slug.ts';
import type { PingKind } from '#lib/results/result.ts';

/** Target of a ping: a check by UUID, in lower case, or by its slug in the account of a ping key. */
export type PingTarget = { uuid: string } | { key: string; slug: string };

/** Parsed path. `exit_status`: the number at its end; null without one. */
export type PingPath = { target: PingTarget; kind: PingKind; exit_status: number | null };

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PING_KEY = /^[\w-]{22}$/;
/** Slug as URLs of Healthchecks match it. If it has capitals or is too long, the path is `invalid`, not `unknown`. */
const SLUG_LIKE = /^[\w-]+$/;

/** Parses the path of a ping (docs/use/heartbeats.md#pings). `invalid`: its slug or exit status is wrong. Pure. */
export function readPingPath(path: string): PingPath | 'unknown' | 'invalid' {
  const [empty, ping, first = '', ...rest] = path.split('/');
  if (empty !== '' || ping !== 'ping') return 'unknown';
  if (UUID.test(first)) {
    // The bare address may end in a slash.
    const [action = '', ...more] = rest;
    return more.length > 0 ? 'unknown' : withAction({ uuid: first.toLowerCase() }, action);
  }
  const [slug = '', action, ...more] = rest;
  if (!PING_KEY.test(first) || !SLUG_LIKE.test(slug) || action === '' || more.length > 0) return 'unknown';
  const parsed = withAction({ key: first, slug }, action ?? '');
  return parsed === 'unknown' || CHECK_SLUG.test(slug) ? parsed : 'invalid';
}

function withAction(target: PingTarget, action: string): PingPath | 'unknown' | 'invalid' {
  if (action === '') return { target, kind: 'success', exit_status: null };
  if (action === 'start' || action === 'fail' || action === 'log') return { target, kind: action, exit_status: null };
  if (!/^\d+$/.test(action)) return 'unknown';
  const exit_status = Number(action);
  if (exit_status > 255) return 'invalid';
  return { target, kind: exit_status === 0 ? 'success' : 'fail', exit_status };
}
