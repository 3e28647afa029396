import type { AuditEntry, TargetType, Verb } from '#lib/audit/entry.ts';

/** What entries can be about, as the filter calls it. */
export const TARGETS: Readonly<Record<TargetType, string>> = {
  account: 'account',
  blueprint: 'blueprints',
  field: 'fields',
  entity: 'entities',
  relation: 'relations',
  check: 'checks',
  policy: 'alert policies',
  channel: 'channels',
  silence: 'silences',
  window: 'maintenance windows',
  incident: 'incidents',
  action: 'actions',
  skill: 'skills',
  user: 'people',
  key: 'API keys',
  ping_key: 'ping keys',
  session: 'sessions',
  passkey: 'passkeys',
  identity: 'identities',
};

/** What can be done, as the filter calls it. */
export const DEEDS: Readonly<Record<Verb, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  add: 'added',
  remove: 'removed',
  invite: 'invited',
  accept: 'accepted',
  rotate: 'rotated',
  link: 'sign-in link',
  end: 'ended',
  run: 'ran',
  test: 'tested',
  enable: 'enabled',
  disable: 'disabled',
  refuse: 'refused',
  acknowledge: 'acknowledged',
  resolve: 'resolved',
  note: 'note added',
  take_back: 'acknowledgement taken back',
};

/** The filters of GET /v1/audit that the address of the page has, under the same names. */
export const AUDIT_FILTERS = ['kind', 'action', 'actor', 'target', 'since', 'until', 'order'] as const;

/** The path of the list that an address asks for; what else is in the address is no matter of the log. */
export function auditPath(query: URLSearchParams): string {
  const wanted = new URLSearchParams();
  for (const name of AUDIT_FILTERS) {
    const value = query.get(name);
    if (value) wanted.set(name, value);
  }
  return `/v1/audit${wanted.size > 0 ? `?${wanted}` : ''}`;
}

/** `check.update`: what it is about, and what was done; either may be empty. */
export function partsOfAction(action: string): { target: string; deed: string } {
  const [target = '', deed = ''] = action.split('.');
  return { target, deed };
}

/** The other way round. Without a target there is no such filter. */
export const actionOf = (target: string, deed: string): string => (target === '' ? '' : `${target}.${deed}`);

/** Who did it, by what the filter finds them by. */
export const actorOf = ({ type, email, user_id, key_id }: AuditEntry['actor']): string =>
  type === 'user' || type === 'key' ? (email ?? user_id ?? key_id ?? '') : type === 'operator' ? 'operator' : '';

/** A value before or after a change, as people read it. Nothing was there: undefined. */
export function auditValueText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value === '' ? '""' : value;
  return JSON.stringify(value, null, typeof value === 'object' ? 1 : 0).replace(/\n */g, ' ');
}

/** A record a line, as logs are kept (https://github.com/ndjson/ndjson-spec). */
export const linesOf = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
