import type { DatabaseSync } from 'node:sqlite';
import { DEFAULT_LIMITS } from '#lib/access/account.ts';
import { addLoads, type CheckCountItem, type CheckLoad, NO_LOAD } from '#lib/catalog/check-count.ts';
import type { SilenceEntry } from '#lib/catalog/silence-list.ts';
import { isSilencedAt, type SilenceSettings } from '#lib/catalog/silence-settings.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { loadOfCheck } from '#lib/checks/settings/guard-settings.ts';

type Value = string | number | boolean | null | undefined | Value[] | { [name: string]: Value };
type Members = { [name: string]: Value };

/** Members with a new name, wherever they are. `told` and `announces` depend on the item. */
const MEMBERS: Record<string, string> = {
  because: 'attributed_to',
  inFlight: 'latest',
  carries_failure: 'propagates_failure',
  catch_up: 'late_alerts',
  knew: 'had_alert',
  known_by: 'evidence',
  look_again_at: 'next_evaluation_at',
  look_at: 'recheck_at',
  looks: 'evaluations',
  silence_at: 'missed_at',
  silence_mark: 'missed_mark',
};

/** Values with a new name, by the member that has them (under its new name). */
const VALUES: Record<string, Record<string, string>> = {
  action: { take_back: 'unacknowledge' },
  alert_kind: { catch_up: 'late', repeat: 'reminder' },
  cause: { silence: 'missed_heartbeat' },
  error_kind: { silence: 'missed_heartbeat' },
  evidence: { asked: 'probe', nothing: 'none' },
  kind: { catch_up: 'late', repeat: 'reminder', silence: 'missed_heartbeat' },
  reason: {
    repeats_off: 'reminders_disabled',
    catch_up_off: 'late_alerts_disabled',
    degraded_off: 'degraded_disabled',
    recovery_off: 'recovery_disabled',
    told_already: 'already_notified',
    not_told: 'not_notified',
    not_watched: 'state_unknown',
  },
  status: { fine: 'healthy', blind: 'no_data' },
  verdict: { healed: 'recovered', not_healed: 'not_recovered' },
};

/** New names of the streaks of a check, in `streaks_since`. */
const STREAKS: Record<string, string> = {
  fails: 'failures',
  bads: 'problems',
  goods: 'successes',
  oks: 'clean_successes',
};

/** Members with texts and data of users, which keep their names and values. */
const OF_USERS = new Set(['fields', 'labels', 'config', 'body', 'headers', 'changes', 'variables', 'metadata']);

/** Changes items and messages of the development version without a number (3a639f34) to the names of release 0.1. */
export function toVersion1(db: DatabaseSync): void {
  const put = db.prepare('UPDATE items SET pk = ?, sk = ?, body = ? WHERE pk = ? AND sk = ?');
  const loads = new Map<string, CheckLoad>();
  const addLoad = (id: string, load: CheckLoad) => loads.set(id, addLoads(loads.get(id) ?? NO_LOAD, load));
  const silences: SilenceEntry[] = [];
  for (const { pk, sk, body } of rowsOf(db)) {
    const after = { ...newMembers(pk, sk), ...(renamed(JSON.parse(body) as Members) as Row & Members) };
    if (sk.startsWith('LAST#')) {
      const { reports_state: to_state = null } = after;
      delete after.reports_state;
      after.delivery = { ...NEW_IN_DELIVERY, to_state, ...(after.delivery as Members) };
    }
    if (sk.startsWith('silence#')) after.sk = sk.replace('silence#', 'missed_heartbeat#');
    else if (sk.startsWith('repeat#')) after.sk = sk.replace('repeat#', 'reminder#');
    else if (sk.startsWith('catch_up#')) after.sk = sk.replace('catch_up#', 'late#');
    if (pk.includes('#CELL#') && sk.startsWith('CHECK#')) {
      const check = after as unknown as CheckItem;
      const load = loadOfCheck(check);
      addLoad(check.tenant_id, load);
      addLoad(check.entity_id, load);
    }
    silences.push(...silenceIn(after));
    const text = JSON.stringify(after);
    if (text !== body) put.run(after.pk, after.sk, text, pk, sk);
  }
  for (const { pk, sk, body } of rowsOf(db)) {
    const item = JSON.parse(body) as Members;
    if (pk.includes('#ENTITIES#')) item.check_load = loads.get(sk) ?? NO_LOAD;
    else if (sk === 'CHECKS') (item as unknown as CheckCountItem).load = loads.get(pk.slice('T#'.length)) ?? NO_LOAD;
    else continue;
    put.run(pk, sk, JSON.stringify(item), pk, sk);
  }
  const add = db.prepare('INSERT INTO items (pk, sk, expires_at, body) VALUES (?, ?, ?, ?)');
  for (const entry of silences) add.run(entry.pk, entry.sk, entry.expires_at ?? null, JSON.stringify(entry));
  const send = db.prepare('UPDATE messages SET body = ? WHERE id = ?');
  for (const { id, body } of db.prepare('SELECT id, body FROM messages').all() as { id: number; body: string }[])
    send.run(JSON.stringify(renamed(JSON.parse(body) as Members)), id);
  const change = db.prepare('UPDATE changes SET image = ? WHERE seq = ?');
  for (const { seq, image } of db.prepare('SELECT seq, image FROM changes').all() as { seq: number; image: string }[])
    change.run(JSON.stringify(renamed(JSON.parse(image) as Members)), seq);
}

type Row = { pk: string; sk: string; body: string };

const PAGE = 1000;

/** Yields all items in key order. Reads pages, because a table must not change while a statement reads it. */
function* rowsOf(db: DatabaseSync): Generator<Row> {
  const page = db.prepare('SELECT pk, sk, body FROM items WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ?');
  for (let last: Row | undefined = { pk: '', sk: '', body: '' }; last; ) {
    const rows = page.all(last.pk, last.sk, PAGE) as unknown as Row[];
    yield* rows;
    last = rows.at(-1);
  }
}

const NEW_IN_DELIVERY: Members = { from_state: null, to_state: null, combined_in: null };

function newMembers(pk: string, sk: string): Members {
  if (sk === 'ACCOUNT') return { ...DEFAULT_LIMITS };
  if (sk.startsWith('AL#')) return { from_state: null };
  if (pk.includes('#DELIVERIES#')) return NEW_IN_DELIVERY;
  return {};
}

/** Returns the entry of the list of silences for a silence of an account, an entity or a check; at most one. */
function silenceIn(item: Row & Members): SilenceEntry[] {
  const { pk, sk } = item;
  const list = { pk: `${pk.split('#', 2).join('#')}#SILENCES` };
  if (pk.endsWith('#ALERTING') && sk.startsWith('SILENCE#')) {
    const {
      v: _v,
      body: _body,
      ...silence
    } = item as unknown as Omit<SilenceEntry, 'scope'> & { id: string; body: string };
    // A key without a user had no author.
    return [{ ...silence, ...list, sk: silence.id, scope: 'account', created_by: silence.created_by || 'an API key' }];
  }
  const scope = pk.includes('#ENTITIES#') ? 'entity' : sk === 'POLICY' ? 'check' : undefined;
  if (!scope || !isSilencedAt(item as SilenceSettings, Date.now())) return [];
  const { check_id, updated_at, silenced_until, silence_reason = '' } = item as Record<string, string>;
  const until = silenced_until === undefined ? undefined : Date.parse(silenced_until);
  return [
    {
      ...list,
      sk: check_id ?? sk,
      ...(until !== undefined && { until, expires_at: Math.ceil(until / 1000) }),
      scope,
      ...(check_id === undefined ? { entity_id: sk } : { entity_id: item.entity_id as string, check_id }),
      reason: silence_reason,
      created_at: updated_at!,
      created_by: 'unknown',
    },
  ];
}

function renamed(value: Value, within = ''): Value {
  if (Array.isArray(value)) return value.map((one) => renamed(one, within));
  if (value === null || typeof value !== 'object') return value;
  const isDelivery = String(value.id).startsWith('dlv_');
  return Object.fromEntries(
    Object.entries(value).map(([name, one]): [string, Value] => {
      if (OF_USERS.has(name)) return [name, one];
      if (within === 'streaks_since') return [STREAKS[name] ?? name, one];
      if (name === 'told') return [toldIn(within, one), renamed(one, name)];
      if (name === 'announces') return [isDelivery ? 'to_state' : 'reports_state', one];
      const next = MEMBERS[name] ?? name;
      return [next, typeof one === 'string' ? (VALUES[next]?.[one] ?? one) : renamed(one, next)];
    }),
  );
}

/** Returns the new name of `told`, which was a state in a decision, the destinations of a failure, or a flag. */
const toldIn = (within: string, value: Value): string => {
  if (within === 'facts' || within === 'decided_on') return 'notified_state';
  if (within === '' && typeof value === 'object') return 'notified_at';
  return 'notified';
};
