import type { AuditEntry, TargetType, Verb } from '#lib/audit/entry.ts';

/** Names of object types in the filter. */
export const TARGET_NAMES: Readonly<Record<TargetType, string>> = {
  account: 'account',
  blueprint: 'blueprints',
  field: 'fields',
  entity: 'entities',
  relation: 'relations',
  check: 'checks',
  policy: 'alert policies',
  channel: 'channels',
  address: 'e-mail addresses',
  silence: 'silences',
  window: 'maintenance windows',
  rota: 'on-call rotas',
  incident: 'incidents',
  incident_update: 'public updates',
  status_page: 'status pages',
  status_subscriber: 'subscribers of status pages',
  badge: 'badges',
  action: 'actions',
  skill: 'skills',
  slo: 'SLOs',
  user: 'users',
  key: 'API keys',
  ping_key: 'ping keys',
  session: 'sessions',
  passkey: 'passkeys',
  identity: 'identities',
};

/** Names of verbs in the filter. */
export const VERB_NAMES: Readonly<Record<Verb, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  add: 'added',
  remove: 'removed',
  invite: 'invited',
  accept: 'accepted',
  rotate: 'rotated',
  link: 'sign-in link created',
  end: 'ended',
  run: 'ran',
  test: 'tested',
  ask: 'confirmation requested',
  confirm: 'confirmed',
  unsubscribe: 'unsubscribed',
  enable: 'enabled',
  disable: 'disabled',
  refuse: 'rejected',
  acknowledge: 'acknowledged',
  resolve: 'resolved',
  note: 'note added',
  unacknowledge: 'acknowledgement removed',
};

/** Filters of GET /v1/audit, with the same names in the address. */
export const AUDIT_FILTERS = ['kind', 'action', 'actor', 'target', 'since', 'until', 'order'] as const;

/** Returns the API path for the filters in an address; other parameters are ignored. */
export function auditPath(query: URLSearchParams): string {
  const wanted = new URLSearchParams();
  for (const name of AUDIT_FILTERS) {
    const value = query.get(name);
    if (value) wanted.set(name, value);
  }
  return `/v1/audit${wanted.size > 0 ? `?${wanted}` : ''}`;
}

/** Splits `check.update` into object and verb; each can be empty. */
export function partsOfAction(action: string): { target: string; verb: string } {
  const [target = '', verb = ''] = action.split('.');
  return { target, verb };
}

/** Joins object and verb; empty without an object. */
export const actionOf = (target: string, verb: string): string => (target === '' ? '' : `${target}.${verb}`);

/** Returns the value that the actor filter matches. */
export const actorOf = ({ type, email, user_id, key_id }: AuditEntry['actor']): string =>
  type === 'user' || type === 'key' ? (email ?? user_id ?? key_id ?? '') : type === 'operator' ? 'operator' : '';

/** Formats a value before or after a change; undefined without one. */
export function auditValueText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value === '' ? '""' : value;
  return JSON.stringify(value, null, typeof value === 'object' ? 1 : 0).replace(/\n */g, ' ');
}

/** Serializes records as NDJSON (https://github.com/ndjson/ndjson-spec). */
export const ndjsonOf = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
