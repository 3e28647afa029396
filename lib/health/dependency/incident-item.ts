import type { Keys } from '#lib/keys.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import type { Incident } from './look.ts';

/**
 * The failure of an entity that others depend on, and who was told of it: by an alert of its own, or by one of a
 * dependent that names it. One an entity; the next failure takes the place of one that is over. Times in epoch ms.
 * About 300 bytes, and 40 for each destination.
 */
export type IncidentItem = Item &
  Incident & {
    v: string;
    id: string;
    tenant_id: string;
    /** When it was known that it fails: its own checks said so. Until then it is suspected. */
    confirmed_at?: number | undefined;
  };

/** It is over so long (ms) after the recovery; a failure before that continues it. */
const QUIET_MS = 300_000;
const DAY_SECONDS = 86_400;
/** Kept for longer than any cooldown, by which a telling counts. */
const KEEP_SECONDS = 8 * DAY_SECONDS;

type Of = { tenant_id: string; root_entity_id: string };

/** The incident of a failure that lasts at `now`: the one that there is, or a new one. */
export function incidentOf(
  keys: Keys,
  before: IncidentItem | undefined,
  of: Of,
  since: number,
  now: number,
): IncidentItem {
  const isOver = before?.recovered_at !== undefined && now - before.recovered_at >= QUIET_MS;
  if (before && !isOver) {
    if (before.recovered_at === undefined) return before;
    // It fails again: who was told of the failure before was not told of this one.
    const { recovered_at: _over, ...rest } = before;
    return { ...rest, since };
  }
  return {
    ...keys.incident(of.tenant_id, of.root_entity_id),
    ...of,
    v: '',
    id: derivedId('inc', since, of.tenant_id, of.root_entity_id),
    since,
    told: before?.told ?? {},
  };
}

/** With some told at `at` (epoch ms). */
export const withTold = (incident: IncidentItem, destinations: readonly string[], at: number): IncidentItem => ({
  ...incident,
  told: { ...incident.told, ...Object.fromEntries(destinations.map((one) => [one, at])) },
});

/** The write of an incident over the one it was made from; none where nothing changed. */
export function incidentWrites(
  before: IncidentItem | undefined,
  next: IncidentItem | undefined,
  token: string,
  now: number,
): Write[] {
  if (!next || before === next) return [];
  const put = { ...next, v: token, expires_at: Math.floor(now / 1000) + KEEP_SECONDS };
  return [{ put, if: before ? { version: before.v } : 'absent' }];
}
