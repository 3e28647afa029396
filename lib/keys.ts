import { fromBase32, hash32, toBase32 } from '#lib/platform/ids.ts';
import type { Key } from '#lib/platform/ports.ts';
import * as prefix from './keys.ts';

/** Returns the partition of a tenant's own items. Most shared partitions have the tenant in the sort key. */
export const ofTenant = (tenant: string, ...parts: (string | number)[]): string => ['T', tenant, ...parts].join('#');

export const key = (pk: string, sk: string): Key => ({ pk, sk });

export const accessKeys = {
  accounts: 'ACCOUNTS',
  accountPointer: (tenant: string) => key('ACCOUNTS', tenant),
  accountEmail: (digest: string) => key(`EMAIL#${digest}`, 'EMAIL'),
  account: (tenant: string) => key(ofTenant(tenant), 'ACCOUNT'),
  /** Token bucket of an account in a rate class, shared by processes. */
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

  // sign-in: sessions and credentials; a digest replaces each secret
  session: (digest: string) => key(`SESSION#${digest}`, 'SESSION'),
  sessions: (tenant: string, user: string) => ofTenant(tenant, 'SESSIONS', user),
  sessionPointer: (tenant: string, user: string, id: string) => key(ofTenant(tenant, 'SESSIONS', user), id),
  passkey: (digest: string) => key(`PASSKEY#${digest}`, 'PASSKEY'),
  identities: (digest: string) => `IDENTITY#${digest}`,
  identity: (digest: string, tenant: string, user: string) => key(`IDENTITY#${digest}`, `${tenant}#${user}`),
  challenge: (digest: string) => key(`CHALLENGE#${digest}`, 'CHALLENGE'),
  oidcRequest: (digest: string) => key(`OIDC#${digest}`, 'OIDC'),
  signInLink: (digest: string) => key(`LINK#${digest}`, 'LINK'),

  mailAddresses: (tenant: string) => ofTenant(tenant, 'MAIL_ADDRESSES'),
  /** @param digest of the folded address */
  mailAddress: (tenant: string, digest: string) => key(ofTenant(tenant, 'MAIL_ADDRESSES'), digest),
  mailConfirmation: (digest: string) => key(`CONFIRM#${digest}`, 'CONFIRM'),
  mailsOf: (tenant: string) => key(ofTenant(tenant), 'MAILS'),
  /** @param digest of the folded address, over all accounts */
  mailsTo: (digest: string) => key(`MAILS#${digest}`, 'MAILS'),
};

// Prefixes of sort keys; docs/develop/keys.md describes the items. Some partitions also have a count or head item.

export const RESULTS = 'R#';
export const PINGS = 'P#';
export const PING_BODIES = 'B#';
export const PING_URLS = 'URL#';
export const TRANSITIONS = 'TR#';
export const ALERTS = 'AL#';
export const HOLDS = 'HOLD#';
export const REVISIONS = 'REV#';
export const CHECK_SLUGS = 'SLUG#';
export const RELATED_OUT = 'OUT#';
export const RELATED_IN = 'IN#';
export const CHECKS = 'CHECK#';
export const CELLS = 'CELL#';
export const CELLS_WITH_ROOM = 'ROOM#';
export const ROLLUPS = { hour: 'H#', day: 'D#' };
export const LATENCIES = { hour: 'HL#', day: 'DL#' };
export const BOUND_ACTIONS = 'ACTION#';

export const ACCOUNT_CHANNELS = 'CHANNEL#';
export const SILENCES = 'SILENCE#';
export const WINDOWS = 'WINDOW#';
/** Sorts directly after the prefix of windows, so that one query reads both. */
export const PAST_WINDOWS = 'WINDOW_PAST#';
export const ROTAS = 'ROTA#';

export const SLOS = 'slo_';

export const SKILLS = 'SKILL#';

export const ACTIONS = 'act_';
export const LOG_LINES = 'LOG#';

export const INCIDENT_ENTITIES = 'E#';
export const INCIDENT_ENTRIES = 'L#';
export const INCIDENT_UPDATES = 'U#';

export const SUBSCRIBERS = 'SUB#';

export const STATUS_PAGES = 'pag_';

export const BADGES = 'bdg_';

export const agentKeys = {
  skills: (tenant: string) => ofTenant(tenant, 'SKILLS'),
  skillCount: (tenant: string) => key(ofTenant(tenant, 'SKILLS'), '!COUNT'),
  skill: (tenant: string, slug: string) => key(ofTenant(tenant, 'SKILLS'), `${SKILLS}${slug}`),
  mcpStreams: (tenant: string) => ofTenant(tenant, 'STREAMS'),
  mcpStream: (tenant: string, apiKey: string, session: string) =>
    key(ofTenant(tenant, 'STREAMS'), `${apiKey}#${session}`),
  mcpOpening: (tenant: string) => key(ofTenant(tenant), 'MCP_OPENING'),
  replyQueue: (tenant: string, session: string) => ofTenant(tenant, 'REPLIES', session),
  /** @param part 0 has the number of parts */
  replyPart: (tenant: string, session: string, id: string, part: number) =>
    key(ofTenant(tenant, 'REPLIES', session), `${id}#${part}`),
};

/** Largest number of thirteen digits, in the year 2286. */
const LAST_MS = 9_999_999_999_999;

/** Formats epoch ms as thirteen digits, so that texts sort by time; limited to the years 1970 to 2286. */
export const stamp = (ms: number): string => String(Math.min(Math.max(0, Math.floor(ms)), LAST_MS)).padStart(13, '0');

/** Returns a text above all sort keys with a prefix. */
export const after = (prefix: string): string => `${prefix}~`;

export const under = (prefix: string) => ({ from: prefix, to: after(prefix) });

/**
 * Position of the cell (twelve characters) in a check's id, after the time of creation (ten, so that ids sort by time)
 * and before the number in the cell (four, in base 32). So a check is found by its id without a pointer.
 */
const CELL_AT = { from: 14, to: 26 };

export const cellOf = (checkId: string): string => checkId.slice(CELL_AT.from, CELL_AT.to);

/** Returns the number of a check in its cell. */
export const numberOf = (checkId: string): number => fromBase32(checkId.slice(CELL_AT.to));

/** @param at time of creation, epoch ms */
export const checkIdOf = (at: number, cell: string, number: number): string =>
  `chk_${toBase32(at, 10)}${cell}${toBase32(number, 4)}`;

/** Returns the part of an id that decides its shard: the cell for a check or `<cell>#<interval>`, else the id. */
const spreadBy = (id: string): string => (id.startsWith('chk_') ? cellOf(id) : id.split('#', 1)[0]!);

const partitionOf = (id: string, count: number): number => (count === 1 ? 0 : hash32(id) % count);

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
  | 'status_page'
  | 'report'
  | 'account_end';

/**
 * All keys of the table, built only in this file. docs/develop/keys.md describes items, sizes, readers and costs. A key
 * contains its tenant unless it is read without one: digests, addresses of status pages, badges, unsent deliveries.
 * @param layout number of partitions of a tenant's lists and of the schedule; fixed once there is data
 */
export function keyTable(layout: { BUCKETS: number; SHARDS: number }) {
  const bucketOf = (id: string) => partitionOf(id, layout.BUCKETS);
  return {
    bucketOf,
    buckets: Array.from({ length: layout.BUCKETS }, (_, bucket) => bucket),
    /** Returns the schedule shard of a cell, check (that of its cell), action or status page, by id. */
    shardOf: (id: string) => partitionOf(spreadBy(id), layout.SHARDS),
    shards: Array.from({ length: layout.SHARDS }, (_, shard) => shard),

    ...accessKeys,

    audit: (tenant: string, bucket: number) => ofTenant(tenant, 'AUDIT', bucket),
    auditEntry: (tenant: string, at: number, id: string) =>
      key(ofTenant(tenant, 'AUDIT', bucketOf(id)), `${stamp(at)}#${id}`),

    blueprints: (tenant: string) => ofTenant(tenant, 'BLUEPRINTS'),
    catalog: (tenant: string) => key(ofTenant(tenant, 'BLUEPRINTS'), '!CATALOG'),
    blueprint: (tenant: string, slug: string) => key(ofTenant(tenant, 'BLUEPRINTS'), `B#${slug}`),
    entitySlugs: (tenant: string, blueprint: string) => ofTenant(tenant, 'SLUGS', blueprint),
    entitySlug: (tenant: string, blueprint: string, slug: string) => key(ofTenant(tenant, 'SLUGS', blueprint), slug),
    entities: (tenant: string, bucket: number) => ofTenant(tenant, 'ENTITIES', bucket),
    entity: (tenant: string, id: string) => key(ofTenant(tenant, 'ENTITIES', bucketOf(id)), id),

    checkSlug: (tenant: string, slug: string) => key(ofTenant(tenant, 'CHECKSLUGS', bucketOf(slug)), slug),
    checkCount: (tenant: string) => key(ofTenant(tenant), 'CHECKS'),
    relationCount: (tenant: string) => key(ofTenant(tenant), 'RELATIONS'),
    relations: (tenant: string, bucket: number) => ofTenant(tenant, 'RELATIONS', bucket),
    relation: (tenant: string, id: string) => key(ofTenant(tenant, 'RELATIONS', bucketOf(id)), id),
    relationsOf: (tenant: string, entity: string) => ofTenant(tenant, 'RELATED', entity),
    relationOut: (tenant: string, from: string, type: string, to: string) =>
      key(ofTenant(tenant, 'RELATED', from), `${prefix.RELATED_OUT}${type}#${to}`),
    relationIn: (tenant: string, to: string, type: string, from: string) =>
      key(ofTenant(tenant, 'RELATED', to), `${prefix.RELATED_IN}${type}#${from}`),

    incidents: (tenant: string, bucket: number) => ofTenant(tenant, 'INCIDENTS', bucket),
    incident: (tenant: string, id: string) => key(ofTenant(tenant, 'INCIDENTS', bucketOf(id)), id),
    unresolvedIncidents: (tenant: string) => ofTenant(tenant, 'OPEN_INCIDENTS'),
    unresolvedIncident: (tenant: string, id: string) => key(ofTenant(tenant, 'OPEN_INCIDENTS'), id),
    manualIncidents: (tenant: string) => key(ofTenant(tenant), 'MANUAL_INCIDENTS'),
    ofIncident: (tenant: string, id: string) => ofTenant(tenant, 'INCIDENT', id),
    incidentEntity: (tenant: string, id: string, entity: string) =>
      key(ofTenant(tenant, 'INCIDENT', id), `${prefix.INCIDENT_ENTITIES}${entity}`),
    /** @param at epoch ms @param entry id of the event */
    incidentEntry: (tenant: string, id: string, at: number, entry: string) =>
      key(ofTenant(tenant, 'INCIDENT', id), `${prefix.INCIDENT_ENTRIES}${stamp(at)}#${entry}`),
    incidentUpdate: (tenant: string, id: string, update: string) =>
      key(ofTenant(tenant, 'INCIDENT', id), `${prefix.INCIDENT_UPDATES}${update}`),

    notifiedFailure: (tenant: string, root: string) => key(ofTenant(tenant, 'INCIDENT', root), 'OPEN'),
    heldUnder: (tenant: string, root: string) => ofTenant(tenant, 'HELD', root),
    heldCheck: (tenant: string, root: string, check: string) => key(ofTenant(tenant, 'HELD', root), check),
    upstreamProbes: (tenant: string, entity: string) => key(ofTenant(tenant, 'UPSTREAM_PROBES', entity), 'OUTCOMES'),

    cells: (tenant: string) => ofTenant(tenant, 'CELLS'),
    cell: (tenant: string, cell: string) => key(ofTenant(tenant, 'CELLS'), `${prefix.CELLS}${cell}`),
    cellRoom: (tenant: string, cell: string) => key(ofTenant(tenant, 'CELLS'), `${prefix.CELLS_WITH_ROOM}${cell}`),
    ofCell: (tenant: string, cell: string) => ofTenant(tenant, 'CELL', cell),
    check: (tenant: string, id: string) => key(ofTenant(tenant, 'CELL', cellOf(id)), `${prefix.CHECKS}${id}`),
    packs: (tenant: string, cell: string, intervalSeconds: number) => ofTenant(tenant, 'PACKS', cell, intervalSeconds),
    /** @param slot epoch ms @param part from 1, because a slot may have several packs */
    pack: (tenant: string, cell: string, intervalSeconds: number, slot: number, part: number) =>
      key(ofTenant(tenant, 'PACKS', cell, intervalSeconds), `${stamp(slot)}#${part}`),

    /** @param from start of the hour or day, epoch ms */
    rollup: (tenant: string, cell: string, of: 'hour' | 'day', from: number) =>
      key(ofTenant(tenant, 'CELL', cell), `${prefix.ROLLUPS[of]}${stamp(from)}`),
    latencies: (tenant: string, cell: string, of: 'hour' | 'day', from: number) =>
      key(ofTenant(tenant, 'CELL', cell), `${prefix.LATENCIES[of]}${stamp(from)}`),

    /** Rollup of a day of an entity, over all cells of its checks. @param from start of the day, epoch ms */
    entityDay: (tenant: string, entity: string, from: number) =>
      key(ofTenant(tenant, 'DAYS', entity), `${prefix.ROLLUPS.day}${stamp(from)}`),

    ofCheck: (tenant: string, id: string) => ofTenant(tenant, 'CHECK', id),
    policy: (tenant: string, check: string) => key(ofTenant(tenant, 'CHECK', check), 'POLICY'),
    lastDelivery: (tenant: string, check: string, channel: string) =>
      key(ofTenant(tenant, 'CHECK', check), `LAST#${channel}`),
    revision: (tenant: string, check: string, rev: number) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.REVISIONS}${stamp(rev)}`),
    /** Slug that a check has or had, so that the deletion of the check finds it. */
    slugOfCheck: (tenant: string, check: string, slug: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.CHECK_SLUGS}${slug}`),
    /** @param at time that orders the results, epoch ms @param tail distinguishes results by cause */
    result: (tenant: string, check: string, at: number, tail: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.RESULTS}${stamp(at)}#${tail}`),
    /** Ping without a result. @param at time of arrival, epoch ms */
    ping: (tenant: string, check: string, at: number, tail: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.PINGS}${stamp(at)}#${tail}`),
    /** Body of a ping. `at` and `tail` are the same as in the key of the ping or its result. */
    pingBody: (tenant: string, check: string, at: number, tail: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.PING_BODIES}${stamp(at)}#${tail}`),
    pingKeys: (tenant: string) => ofTenant(tenant, 'PINGKEYS'),
    pingKeyCount: (tenant: string) => key(ofTenant(tenant, 'PINGKEYS'), '!COUNT'),
    pingKey: (tenant: string, id: string) => key(ofTenant(tenant, 'PINGKEYS'), id),
    pingKeyPointer: (digest: string) => key(`PINGKEY#${digest}`, 'PINGKEY'),
    pingUrl: (digest: string) => key(`PING#${digest}`, 'PING'),
    pingUrlOf: (tenant: string, check: string, digest: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.PING_URLS}${digest}`),
    idempotencyKey: (tenant: string, check: string, digest: string) =>
      key(ofTenant(tenant, 'CHECK', check), `PUSH#${digest}`),
    transition: (tenant: string, check: string, at: number, seq: number) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.TRANSITIONS}${stamp(at)}#${stamp(seq)}`),

    alert: (tenant: string, check: string, at: number, alert: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.ALERTS}${stamp(at)}#${alert}`),

    /** State of a held alert while its cause is unknown. @param transition sort key of the transition */
    hold: (tenant: string, check: string, transition: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.HOLDS}${transition}`),
    boundAction: (tenant: string, check: string, action: string) =>
      key(ofTenant(tenant, 'CHECK', check), `${prefix.BOUND_ACTIONS}${action}`),

    actions: (tenant: string) => ofTenant(tenant, 'ACTIONS'),
    actionCount: (tenant: string) => key(ofTenant(tenant, 'ACTIONS'), '!COUNT'),
    action: (tenant: string, id: string) => key(ofTenant(tenant, 'ACTIONS'), id),
    runs: (tenant: string, action: string) => ofTenant(tenant, 'RUNS', action),
    /** @param at start of the execution, epoch ms, which orders the history */
    run: (tenant: string, action: string, at: number, execution: string) =>
      key(ofTenant(tenant, 'RUNS', action), `${stamp(at)}#${execution}`),
    remediation: (tenant: string, action: string) => key(ofTenant(tenant, 'REMEDIATION', action), 'SERIES'),
    remediations: (tenant: string) => key(ofTenant(tenant), 'REMEDIATIONS'),
    /** @param name lock that the action names; without one, the id of the failed entity */
    remediationLock: (tenant: string, name: string) => key(ofTenant(tenant, 'LOCK', name), 'LOCK'),
    ofExecution: (tenant: string, id: string) => ofTenant(tenant, 'EXECUTION', id),
    execution: (tenant: string, id: string) => key(ofTenant(tenant, 'EXECUTION', id), 'EXECUTION'),
    /** @param seq number of the first line, from 1 */
    logLines: (tenant: string, execution: string, seq: number) =>
      key(ofTenant(tenant, 'EXECUTION', execution), `${prefix.LOG_LINES}${stamp(seq)}`),

    feed: (tenant: string, bucket: number) => ofTenant(tenant, 'FEED', bucket),
    feedEntry: (tenant: string, entity: string, at: number, transition: string) =>
      key(ofTenant(tenant, 'FEED', bucketOf(entity)), `${stamp(at)}#${transition}`),
    /** Alerting settings of the account; the version of the head covers all of them. */
    alerting: (tenant: string) => ofTenant(tenant, 'ALERTING'),
    alertingHead: (tenant: string) => key(ofTenant(tenant, 'ALERTING'), 'HEAD'),
    accountChannel: (tenant: string, channel: string) =>
      key(ofTenant(tenant, 'ALERTING'), `${prefix.ACCOUNT_CHANNELS}${channel}`),
    accountSilence: (tenant: string, silence: string) =>
      key(ofTenant(tenant, 'ALERTING'), `${prefix.SILENCES}${silence}`),
    silences: (tenant: string) => ofTenant(tenant, 'SILENCES'),
    /** Entry of the list of silences. @param id id of the account silence, or of the silenced entity or check */
    silence: (tenant: string, id: string) => key(ofTenant(tenant, 'SILENCES'), id),
    window: (tenant: string, window: string) => key(ofTenant(tenant, 'ALERTING'), `${prefix.WINDOWS}${window}`),
    pastWindow: (tenant: string, window: string, v: string) =>
      key(ofTenant(tenant, 'ALERTING'), `${prefix.PAST_WINDOWS}${window}#${v}`),
    slos: (tenant: string) => ofTenant(tenant, 'SLOS'),
    sloHead: (tenant: string) => key(ofTenant(tenant, 'SLOS'), '!HEAD'),
    slo: (tenant: string, slo: string) => key(ofTenant(tenant, 'SLOS'), slo),
    rota: (tenant: string, rota: string) => key(ofTenant(tenant, 'ALERTING'), `${prefix.ROTAS}${rota}`),
    lastsOfChannels: (tenant: string) => ofTenant(tenant, 'CHANNEL_LASTS'),
    lastOfChannel: (tenant: string, channel: string) => key(ofTenant(tenant, 'CHANNEL_LASTS'), channel),
    channels: (tenant: string, bucket: number) => ofTenant(tenant, 'CHANNELS', bucket),
    channelPointer: (tenant: string, channel: string) => key(ofTenant(tenant, 'CHANNELS', bucketOf(channel)), channel),
    usedLink: (tenant: string, signature: string) => key(ofTenant(tenant, 'USED_LINKS'), signature),
    urgentAlerts: (tenant: string, destination: string) => key(ofTenant(tenant, 'PAGES', destination), 'PAGES'),
    pace: (tenant: string, digest: string) => key(ofTenant(tenant, 'PACE', digest), 'PACE'),
    /** @param of `account`, or digest of a host */
    alertRate: (tenant: string, of: string) => key(ofTenant(tenant, 'ALERT_RATE', of), 'ALERT_RATE'),
    deliveries: (tenant: string, bucket: number) => ofTenant(tenant, 'DELIVERIES', bucket),
    delivery: (tenant: string, id: string) => key(ofTenant(tenant, 'DELIVERIES', bucketOf(id)), id),
    groups: (tenant: string) => ofTenant(tenant, 'GROUPS'),
    /** @param shared common to the alerts of one message, such as their channel */
    grouped: (tenant: string, shared: string, delivery: string) =>
      key(ofTenant(tenant, 'GROUPS'), `${shared}#${delivery}`),

    ...agentKeys,

    statusPages: (tenant: string) => ofTenant(tenant, 'STATUS_PAGES'),
    statusPage: (tenant: string, page: string) => key(ofTenant(tenant, 'STATUS_PAGES'), page),
    statusPageCount: (tenant: string) => key(ofTenant(tenant, 'STATUS_PAGES'), '!COUNT'),
    statusAddress: (address: string) => key(`STATUS#${address}`, 'STATUS'),
    /** State of the rendering of a page, and the paths of its files; a path is added before its file. */
    publication: (tenant: string, page: string) => key(ofTenant(tenant, 'STATUS_PAGE', page), 'PUBLICATION'),
    ofStatusPage: (tenant: string, page: string) => ofTenant(tenant, 'STATUS_PAGE', page),
    statusSubscriber: (tenant: string, page: string, subscriber: string) =>
      key(ofTenant(tenant, 'STATUS_PAGE', page), `${prefix.SUBSCRIBERS}${subscriber}`),
    statusLogo: (tenant: string, page: string) => key(ofTenant(tenant, 'STATUS_PAGE', page), 'LOGO'),

    badges: (tenant: string) => ofTenant(tenant, 'BADGES'),
    badge: (tenant: string, badge: string) => key(ofTenant(tenant, 'BADGES'), badge),
    badgeCount: (tenant: string) => key(ofTenant(tenant, 'BADGES'), '!COUNT'),
    publicBadge: (publicId: string) => key(`BADGE#${publicId}`, 'BADGE'),
    badgeFigures: (publicId: string, period: string) => key(`BADGE#${publicId}`, `FIGURES#${period}`),

    unsent: (bucket: number) => `UNSENT#${bucket}`,
    unsentDelivery: (delivery: string) => key(`UNSENT#${bucketOf(delivery)}`, delivery),
    lastFailure: { pk: 'HEALTH', sk: 'LAST_FAILURE' } satisfies Key,
    disk: { pk: 'HEALTH', sk: 'DISK' } satisfies Key,
    lastLateProbe: { pk: 'HEALTH', sk: 'LAST_LATE_PROBE' } satisfies Key,

    entries: (shard: number) => `SCHEDULE#${shard}`,
    entry: (kind: EntryKind, tenant: string, id: string) =>
      key(`SCHEDULE#${partitionOf(spreadBy(id), layout.SHARDS)}`, `${kind}#${tenant}#${id}`),
    watermark: (shard: number) => key(`WATERMARK#${shard}`, 'WATERMARK'),
    outages: (shard: number) => `OUTAGES#${shard}`,
    outage: (shard: number, from: number) => key(`OUTAGES#${shard}`, stamp(from)),
  };
}

export type Keys = ReturnType<typeof keyTable>;
