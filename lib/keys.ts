import { fromBase32, hash32, toBase32 } from '#lib/platform/ids.ts';
import type { Key } from '#lib/platform/ports.ts';
import * as prefix from './keys.ts';

/** The start of each key that is a tenant's: no other function puts a tenant into one. */
export const ofTenant = (tenant: string, ...parts: (string | number)[]): string => ['T', tenant, ...parts].join('#');

export const key = (pk: string, sk: string): Key => ({ pk, sk });

/** Keys of accounts, of who belongs to them, and of what proves who calls. */
export const accessKeys = {
  accounts: 'ACCOUNTS',
  accountPointer: (tenant: string) => key('ACCOUNTS', tenant),
  accountEmail: (digest: string) => key(`EMAIL#${digest}`, 'EMAIL'),
  account: (tenant: string) => key(ofTenant(tenant), 'ACCOUNT'),
  /** What is left of an account's rate in a class, where processes share it. */
  rate: (tenant: string, of: string) => key(ofTenant(tenant), `RATE#${of}`),
  users: (tenant: string) => ofTenant(tenant, 'USERS'),
  user: (tenant: string, user: string) => key(ofTenant(tenant, 'USERS'), user),
  team: (tenant: string) => key(ofTenant(tenant), 'TEAM'),
  invitation: (digest: string) => key(`INVITE#${digest}`, 'INVITE'),
  /** @param digest of the folded e-mail address */
  invitedEmails: (digest: string) => `INVITED#${digest}`,
  invitedEmail: (digest: string, tenant: string, user: string) => key(`INVITED#${digest}`, `${tenant}#${user}`),
  apiKeys: (tenant: string) => ofTenant(tenant, 'KEYS'),
  apiKeyPointer: (tenant: string, id: string) => key(ofTenant(tenant, 'KEYS'), id),
  apiKey: (digest: string) => key(`KEY#${digest}`, 'KEY'),

  // sign-in: sessions, and what proves who signs in; a digest stands for each secret
  session: (digest: string) => key(`SESSION#${digest}`, 'SESSION'),
  sessions: (tenant: string, user: string) => ofTenant(tenant, 'SESSIONS', user),
  sessionPointer: (tenant: string, user: string, id: string) => key(ofTenant(tenant, 'SESSIONS', user), id),
  passkey: (digest: string) => key(`PASSKEY#${digest}`, 'PASSKEY'),
  /** @param digest of issuer and subject */
  identities: (digest: string) => `IDENTITY#${digest}`,
  identity: (digest: string, tenant: string, user: string) => key(`IDENTITY#${digest}`, `${tenant}#${user}`),
  challenge: (digest: string) => key(`CHALLENGE#${digest}`, 'CHALLENGE'),
  oidcRequest: (digest: string) => key(`OIDC#${digest}`, 'OIDC'),
  signInLink: (digest: string) => key(`LINK#${digest}`, 'LINK'),
};

// What sort keys begin with; docs/develop/keys.md says what stands under each.

/** Sort-key prefixes of what lies under a check. */
export const RESULTS = 'R#';
/** Starts and log entries of runs, the bodies of pings, and the addresses that a push check is pinged at. */
export const PINGS = 'P#';
export const PING_BODIES = 'B#';
export const PING_URLS = 'URL#';
export const TRANSITIONS = 'TR#';
export const ALERTS = 'AL#';
export const HOLDS = 'HOLD#';
export const REVISIONS = 'REV#';
export const CHECK_SLUGS = 'SLUG#';
/** Sort-key prefix of the relations that start at an entity. */
export const RELATED_OUT = 'OUT#';
/** Sort-key prefixes of the checks of a cell, and of a tenant's cells: each one, and those that have room. */
export const CHECKS = 'CHECK#';
export const CELLS = 'CELL#';
export const ROOMS = 'ROOM#';
/** Sort-key prefixes of a cell's rollups, and of the latencies that belong to each. */
export const ROLLUPS = { hour: 'H#', day: 'D#' };
export const LATENCIES = { hour: 'HL#', day: 'DL#' };
/** Actions that its transitions may fire. */
export const BOUND_ACTIONS = 'ACTION#';

/** Sort-key prefixes of what the account's alerting has beside its head. */
export const ACCOUNT_CHANNELS = 'CHANNEL#';
export const SILENCES = 'SILENCE#';
export const WINDOWS = 'WINDOW#';

/** Sort-key prefix of a tenant's skills beside their count. */
export const SKILLS = 'SKILL#';

/** Sort-key prefixes of a tenant's actions beside their count, and of what was reported on an execution. */
export const ACTIONS = 'act_';
export const LOG_LINES = 'LOG#';

/** Sort-key prefixes of what lies under an incident: the entities that are part of it, and its timeline. */
export const INCIDENT_ENTITIES = 'E#';
export const INCIDENT_ENTRIES = 'L#';

/** Keys of skills, and of what MCP clients on an open stream are sent. */
export const agentKeys = {
  skills: (tenant: string) => ofTenant(tenant, 'SKILLS'),
  skillCount: (tenant: string) => key(ofTenant(tenant, 'SKILLS'), '!COUNT'),
  skill: (tenant: string, slug: string) => key(ofTenant(tenant, 'SKILLS'), `${SKILLS}${slug}`),
  mcpStreams: (tenant: string) => ofTenant(tenant, 'STREAMS'),
  mcpStream: (tenant: string, apiKey: string, session: string) =>
    key(ofTenant(tenant, 'STREAMS'), `${apiKey}#${session}`),
  mcpOpening: (tenant: string) => key(ofTenant(tenant), 'MCP_OPENING'),
  replyQueue: (tenant: string, session: string) => ofTenant(tenant, 'REPLIES', session),
  /** @param part 0 is the head, which says how many there are */
  replyPart: (tenant: string, session: string, id: string, part: number) =>
    key(ofTenant(tenant, 'REPLIES', session), `${id}#${part}`),
};

/**
 * Every key of the table, built here and in keys/, and nowhere else. What stands under each, its size, who reads it and
 * what that costs: docs/develop/keys.md. A tenant's keys all carry the tenant; no other function makes one.
 */

/** The last that has thirteen digits, in the year 2286. */
const LAST_MS = 9_999_999_999_999;

/** Epoch ms as thirteen digits, so that the text sorts like the time; cut to the years 1970 to 2286. */
export const stamp = (ms: number): string => String(Math.min(Math.max(0, Math.floor(ms)), LAST_MS)).padStart(13, '0');

/** Above every sort key that begins with `prefix`. */
export const after = (prefix: string): string => `${prefix}~`;

/** The range of all sort keys that begin with `prefix`. */
export const under = (prefix: string) => ({ from: prefix, to: after(prefix) });

/**
 * The parts of a check's id: when it was made (ten characters, so that ids sort by time), its cell (twelve), and its
 * number in the cell (four, in base 32). A look-up by id so needs no pointer.
 */
const CELL_AT = { from: 14, to: 26 };

/** The cell that a check lies in. */
export const cellOf = (checkId: string): string => checkId.slice(CELL_AT.from, CELL_AT.to);

/** The number of a check in its cell. */
export const numberOf = (checkId: string): number => fromBase32(checkId.slice(CELL_AT.to));

/** @param at epoch ms at which the check is made */
export const checkIdOf = (at: number, cell: string, number: number): string =>
  `chk_${toBase32(at, 10)}${cell}${toBase32(number, 4)}`;

/** What an id of the schedule is spread by: a check and the jobs of its cell by the cell, all else by itself. */
const spreadBy = (id: string): string => (id.startsWith('chk_') ? cellOf(id) : id.split('#', 1)[0]!);

/** On one machine there is one place for all. */
const place = (id: string, count: number): number => (count === 1 ? 0 : hash32(id) % count);

export type EntryKind =
  | 'probe'
  | 'rollup'
  | 'missed_heartbeat'
  | 'reminder'
  | 'late'
  | 'escalation'
  | 'impact'
  | 'hold'
  | 'action'
  | 'remediation'
  | 'account_end';

/** @param layout how many partitions a tenant's lists and the schedule are spread over; fixed once there is data. */
export function keyTable(layout: { BUCKETS: number; SHARDS: number }) {
  const bucketOf = (id: string) => place(id, layout.BUCKETS);
  return {
    bucketOf,
    /** Every bucket number of a tenant's lists. */
    buckets: Array.from({ length: layout.BUCKETS }, (_, bucket) => bucket),
    /** The schedule shard of a check, with all of its cell, of a cell, or of an action. */
    shardOf: (id: string) => place(spreadBy(id), layout.SHARDS),
    shards: Array.from({ length: layout.SHARDS }, (_, shard) => shard),

    ...accessKeys,

    // who changed what, newest last
    audit: (tenant: string, bucket: number) => ofTenant(tenant, 'AUDIT', bucket),
    /** @param at epoch ms of the change */
    auditEntry: (tenant: string, at: number, id: string) =>
      key(ofTenant(tenant, 'AUDIT', bucketOf(id)), `${stamp(at)}#${id}`),

    // catalog
    blueprints: (tenant: string) => ofTenant(tenant, 'BLUEPRINTS'),
    catalog: (tenant: string) => key(ofTenant(tenant, 'BLUEPRINTS'), '!CATALOG'),
    blueprint: (tenant: string, slug: string) => key(ofTenant(tenant, 'BLUEPRINTS'), `B#${slug}`),
    entitySlugs: (tenant: string, blueprint: string) => ofTenant(tenant, 'SLUGS', blueprint),
    entitySlug: (tenant: string, blueprint: string, slug: string) => key(ofTenant(tenant, 'SLUGS', blueprint), slug),
    entities: (tenant: string, bucket: number) => ofTenant(tenant, 'ENTITIES', bucket),
    entity: (tenant: string, id: string) => key(ofTenant(tenant, 'ENTITIES', bucketOf(id)), id),

    /** The check that has a slug. */
    checkSlug: (tenant: string, slug: string) => key(ofTenant(tenant, 'CHECKSLUGS', bucketOf(slug)), slug),
    checkCount: (tenant: string) => key(ofTenant(tenant), 'CHECKS'),
    relationCount: (tenant: string) => key(ofTenant(tenant), 'RELATIONS'),
    relations: (tenant: string, bucket: number) => ofTenant(tenant, 'RELATIONS', bucket),
    relation: (tenant: string, id: string) => key(ofTenant(tenant, 'RELATIONS', bucketOf(id)), id),
    relationsOf: (tenant: string, entity: string) => ofTenant(tenant, 'RELATED', entity),
    relationOut: (tenant: string, from: string, type: string, to: string) =>
      key(ofTenant(tenant, 'RELATED', from), `${prefix.RELATED_OUT}${type}#${to}`),
    relationIn: (tenant: string, to: string, type: string, from: string) =>
      key(ofTenant(tenant, 'RELATED', to), `IN#${type}#${from}`),

    // incidents, what happened in each, and those that are not over
    incidents: (tenant: string, bucket: number) => ofTenant(tenant, 'INCIDENTS', bucket),
    incident: (tenant: string, id: string) => key(ofTenant(tenant, 'INCIDENTS', bucketOf(id)), id),
    openIncidents: (tenant: string) => ofTenant(tenant, 'OPEN_INCIDENTS'),
    openIncident: (tenant: string, id: string) => key(ofTenant(tenant, 'OPEN_INCIDENTS'), id),
    ofIncident: (tenant: string, id: string) => ofTenant(tenant, 'INCIDENT', id),
    incidentEntity: (tenant: string, id: string, entity: string) =>
      key(ofTenant(tenant, 'INCIDENT', id), `${prefix.INCIDENT_ENTITIES}${entity}`),
    /** @param at epoch ms @param entry the id of what it tells of */
    incidentEntry: (tenant: string, id: string, at: number, entry: string) =>
      key(ofTenant(tenant, 'INCIDENT', id), `${prefix.INCIDENT_ENTRIES}${stamp(at)}#${entry}`),

    /** Who was told of the failure of an entity that others depend on, and what waits until it is over. */
    notifiedFailure: (tenant: string, root: string) => key(ofTenant(tenant, 'INCIDENT', root), 'OPEN'),
    heldUnder: (tenant: string, root: string) => ofTenant(tenant, 'HELD', root),
    heldCheck: (tenant: string, root: string, check: string) => key(ofTenant(tenant, 'HELD', root), check),
    /** What was found when the checks of an entity were asked because something that depends on it failed. */
    asked: (tenant: string, entity: string) => key(ofTenant(tenant, 'ASKED', entity), 'ASKED'),

    // cells: the checks of each side by side, and what their quiet runs wrote
    cells: (tenant: string) => ofTenant(tenant, 'CELLS'),
    cell: (tenant: string, cell: string) => key(ofTenant(tenant, 'CELLS'), `${prefix.CELLS}${cell}`),
    cellRoom: (tenant: string, cell: string) => key(ofTenant(tenant, 'CELLS'), `${prefix.ROOMS}${cell}`),
    ofCell: (tenant: string, cell: string) => ofTenant(tenant, 'CELL', cell),
    check: (tenant: string, id: string) => key(ofTenant(tenant, 'CELL', cellOf(id)), `${prefix.CHECKS}${id}`),
    packs: (tenant: string, cell: string, intervalSeconds: number) => ofTenant(tenant, 'PACKS', cell, intervalSeconds),
    /** @param slot epoch ms @param part from 1: a slot may have several packs */
    pack: (tenant: string, cell: string, intervalSeconds: number, slot: number, part: number) =>
      key(ofTenant(tenant, 'PACKS', cell, intervalSeconds), `${stamp(slot)}#${part}`),

    /** @param from epoch ms at which the hour or day begins */
    rollup: (tenant: string, cell: string, of: 'hour' | 'day', from: number) =>
      key(ofTenant(tenant, 'CELL', cell), `${prefix.ROLLUPS[of]}${stamp(from)}`),
    latencies: (tenant: string, cell: string, of: 'hour' | 'day', from: number) =>
      key(ofTenant(tenant, 'CELL', cell), `${prefix.LATENCIES[of]}${stamp(from)}`),

    /** The day (epoch ms at which it begins) of an entity, whichever cells its checks lie in. */
    entityDay: (tenant: string, entity: string, from: number) =>
      key(ofTenant(tenant, 'DAYS', entity), `${prefix.ROLLUPS.day}${stamp(from)}`),

    // what lies under a check
    ofCheck: (tenant: string, id: string) => ofTenant(tenant, 'CHECK', id),
    policy: (tenant: string, check: string) => key(ofTenant(tenant, 'CHECK', check), 'POLICY'),
    lastDelivery: (tenant: string, check: string, channel: string) =>
      key(ofTenant(tenant, 'CHECK', check), `LAST#${channel}`),
    revision: (tenant: string, check: string, rev: number) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.REVISIONS}${stamp(rev)}`),
    /** By which the slug of a check is found that is gone. */
    slugOfCheck: (tenant: string, check: string, slug: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.CHECK_SLUGS}${slug}`),
    /** @param at epoch ms that the result is ordered by @param tail what makes it the one result of its cause */
    result: (tenant: string, check: string, at: number, tail: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.RESULTS}${stamp(at)}#${tail}`),
    /** A ping that is no result. @param at epoch ms of its arrival */
    ping: (tenant: string, check: string, at: number, tail: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.PINGS}${stamp(at)}#${tail}`),
    /** What a ping brought. @param at and @param tail as of that, or of its result */
    pingBody: (tenant: string, check: string, at: number, tail: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.PING_BODIES}${stamp(at)}#${tail}`),
    pingKeys: (tenant: string) => ofTenant(tenant, 'PINGKEYS'),
    pingKeyCount: (tenant: string) => key(ofTenant(tenant, 'PINGKEYS'), '!COUNT'),
    pingKey: (tenant: string, id: string) => key(ofTenant(tenant, 'PINGKEYS'), id),
    /** @param digest of the ping key */
    pingKeyPointer: (digest: string) => key(`PINGKEY#${digest}`, 'PINGKEY'),
    pingUrl: (digest: string) => key(`PING#${digest}`, 'PING'),
    pingUrlOf: (tenant: string, check: string, digest: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.PING_URLS}${digest}`),
    pushKey: (tenant: string, check: string, digest: string) => key(ofTenant(tenant, 'CHECK', check), `PUSH#${digest}`),
    transition: (tenant: string, check: string, at: number, seq: number) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.TRANSITIONS}${stamp(at)}#${stamp(seq)}`),

    alert: (tenant: string, check: string, at: number, alert: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.ALERTS}${stamp(at)}#${alert}`),

    /** What is remembered of an alert that waits until its cause is known. @param transition its sort key */
    hold: (tenant: string, check: string, transition: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.HOLDS}${transition}`),
    boundAction: (tenant: string, check: string, action: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.BOUND_ACTIONS}${action}`),

    // actions, their runs, and what was reported on one
    actions: (tenant: string) => ofTenant(tenant, 'ACTIONS'),
    actionCount: (tenant: string) => key(ofTenant(tenant, 'ACTIONS'), '!COUNT'),
    action: (tenant: string, id: string) => key(ofTenant(tenant, 'ACTIONS'), id),
    runs: (tenant: string, action: string) => ofTenant(tenant, 'RUNS', action),
    /** @param at epoch ms at which the run was begun: the history is in this order */
    run: (tenant: string, action: string, at: number, execution: string) =>
      key(ofTenant(tenant, 'RUNS', action), `${stamp(at)}#${execution}`),
    /** The series of attempts of a guarded action. */
    remediation: (tenant: string, action: string) => key(ofTenant(tenant, 'REMEDIATION', action), 'SERIES'),
    /** What the account's guarded actions are at. */
    remediations: (tenant: string) => key(ofTenant(tenant), 'REMEDIATIONS'),
    /** @param name of a lock, or the id of the entity that it stands for */
    remediationLock: (tenant: string, name: string) => key(ofTenant(tenant, 'LOCK', name), 'LOCK'),
    ofExecution: (tenant: string, id: string) => ofTenant(tenant, 'EXECUTION', id),
    execution: (tenant: string, id: string) => key(ofTenant(tenant, 'EXECUTION', id), 'EXECUTION'),
    /** @param seq number of the first line, from 1 */
    logLines: (tenant: string, execution: string, seq: number) =>
      key(ofTenant(tenant, 'EXECUTION', execution), `${prefix.LOG_LINES}${stamp(seq)}`),

    // a tenant's feeds, newest last
    feed: (tenant: string, bucket: number) => ofTenant(tenant, 'FEED', bucket),
    feedEntry: (tenant: string, entity: string, at: number, transition: string) =>
      key(ofTenant(tenant, 'FEED', bucketOf(entity)), `${stamp(at)}#${transition}`),
    /** Alerting of the whole account: its head has the version of all that lies beside it. */
    alerting: (tenant: string) => ofTenant(tenant, 'ALERTING'),
    alertingHead: (tenant: string) => key(ofTenant(tenant, 'ALERTING'), 'HEAD'),
    accountChannel: (tenant: string, channel: string) =>
      key(ofTenant(tenant, 'ALERTING'), `${prefix.ACCOUNT_CHANNELS}${channel}`),
    accountSilence: (tenant: string, silence: string) =>
      key(ofTenant(tenant, 'ALERTING'), `${prefix.SILENCES}${silence}`),
    window: (tenant: string, window: string) => key(ofTenant(tenant, 'ALERTING'), `${prefix.WINDOWS}${window}`),
    lastsOfChannels: (tenant: string) => ofTenant(tenant, 'CHANNEL_LASTS'),
    /** The latest delivery of a channel of the account, of whichever check. */
    lastOfChannel: (tenant: string, channel: string) => key(ofTenant(tenant, 'CHANNEL_LASTS'), channel),
    channels: (tenant: string, bucket: number) => ofTenant(tenant, 'CHANNELS', bucket),
    channelPointer: (tenant: string, channel: string) => key(ofTenant(tenant, 'CHANNELS', bucketOf(channel)), channel),
    /** A link of an alert that was used, by its signature. */
    usedLink: (tenant: string, signature: string) => key(ofTenant(tenant, 'USED_LINKS'), signature),
    /** @param destination of channels: when it was paged lately */
    pages: (tenant: string, destination: string) => key(ofTenant(tenant, 'PAGES', destination), 'PAGES'),
    pace: (tenant: string, digest: string) => key(ofTenant(tenant, 'PACE', digest), 'PACE'),
    deliveries: (tenant: string, bucket: number) => ofTenant(tenant, 'DELIVERIES', bucket),
    delivery: (tenant: string, id: string) => key(ofTenant(tenant, 'DELIVERIES', bucketOf(id)), id),
    /** Deliveries that one message tells of. @param leads_to digest of where that goes */
    groups: (tenant: string) => ofTenant(tenant, 'GROUPS'),
    grouped: (tenant: string, group: string, leads_to: string, delivery: string) =>
      key(ofTenant(tenant, 'GROUPS'), `${group}#${leads_to}#${delivery}`),

    ...agentKeys,

    // how the service fares; no tenant's
    unsent: (bucket: number) => `UNSENT#${bucket}`,
    unsentDelivery: (delivery: string) => key(`UNSENT#${bucketOf(delivery)}`, delivery),
    lastFailure: { pk: 'HEALTH', sk: 'LAST_FAILURE' } satisfies Key,
    lastLateProbe: { pk: 'HEALTH', sk: 'LAST_LATE_PROBE' } satisfies Key,

    // the schedule
    entries: (shard: number) => `SCHEDULE#${shard}`,
    entry: (kind: EntryKind, tenant: string, id: string) =>
      key(`SCHEDULE#${place(spreadBy(id), layout.SHARDS)}`, `${kind}#${tenant}#${id}`),
    watermark: (shard: number) => key(`WATERMARK#${shard}`, 'WATERMARK'),
    outages: (shard: number) => `OUTAGES#${shard}`,
    outage: (shard: number, from: number) => key(`OUTAGES#${shard}`, stamp(from)),
  };
}

export type Keys = ReturnType<typeof keyTable>;
