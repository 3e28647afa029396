import { UsageError } from '#infra/flags.ts';
import type { AuditEntry } from '#lib/audit/entry.ts';
import { AuditFilter } from '#lib/audit/query.ts';
import { readLog } from '#lib/audit/read-log.ts';
import { entryRecord } from '#lib/audit/summary.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { assertTimeRange } from '#lib/platform/instant.ts';
import type { Command } from './commands.ts';

const FILTERS = ['since', 'until', 'actor', 'action', 'target', 'kind'] as const;

export const AUDIT_FLAGS = {
  since: { type: 'string' },
  until: { type: 'string' },
  actor: { type: 'string' },
  action: { type: 'string' },
  target: { type: 'string' },
  kind: { type: 'string' },
  limit: { type: 'string' },
} as const;

export const AUDIT_USAGE = `\
      --since T, --until T   entries at or after --since and before --until: ISO 8601 times
      --actor A              id or e-mail address of a user, id of a key, or operator
      --action check.update  action; "check." for all actions on checks
      --target ID            id of the changed item or of its parent
      --kind config|access   configuration changes, or changes of users, keys and sessions
      --limit N              maximum number of entries, newest first (50)`;

/** Lists the audit log of an account, also of a deleted one. */
export const auditCommand: Command = {
  takes: [...FILTERS, 'limit'],
  operands: ['account'],
  run: async (env, options, tenant) => {
    const filters = FILTERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
    const filter = parse(AuditFilter, Object.fromEntries(filters));
    assertTimeRange(filter);
    const limit = limitIn(options.limit);
    const entries: AuditEntry[] = [];
    let after: string | undefined;
    do {
      const page = await readLog({ ...env, tenant }, filter, { order: 'desc', after, limit: limit - entries.length });
      entries.push(...page.values.map((item) => entryRecord(item, true)));
      after = page.next;
    } while (after !== undefined && entries.length < limit);
    const more = after === undefined ? [] : [`More entries exist; use --limit ${limit * 2} to list them.`];
    return { text: [...entries.map(line), ...more].join('\n') || 'No entries.', json: entries };
  },
};

const line = ({ at, summary, ip }: AuditEntry): string => [at, summary, ...(ip ? [`(${ip})`] : [])].join('  ');

function limitIn(text = '50'): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--limit must be a whole number of at least 1, not "${text}".`);
}
