import type { AuditEntry } from '#lib/audit/entry.ts';
import { AuditFilter } from '#lib/audit/query.ts';
import { readLog } from '#lib/audit/read-log.ts';
import { entryRecord } from '#lib/audit/summary.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { assertTimeRange } from '#lib/platform/instant.ts';
import type { Command } from './admin-commands.ts';
import { UsageError } from './flags.ts';

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
      --since T, --until T   entries of then or later, and before then: ISO 8601 times
      --actor A              an id or e-mail address of a user, an id of a key, or operator
      --action check.update  what was done; check. for all that was done to checks
      --target ID            what it was done to, or what that belongs to
      --kind config|access   what the service does, or who gets in
      --limit N              how many entries, the newest first (50)`;

/** What was changed in an account, by whom; also of one that was deleted. */
export const auditCommand: Command = {
  takes: [...FILTERS, 'limit'],
  names: ['account'],
  run: async (world, options, tenant) => {
    const given = FILTERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
    const wanted = parse(AuditFilter, Object.fromEntries(given));
    assertTimeRange(wanted);
    const most = limitIn(options.limit);
    const entries: AuditEntry[] = [];
    let after: string | undefined;
    do {
      const page = await readLog({ ...world, tenant }, wanted, { order: 'desc', after, limit: most - entries.length });
      entries.push(...page.values.map((item) => entryRecord(item, true)));
      after = page.next;
    } while (after !== undefined && entries.length < most);
    const more = after === undefined ? [] : [`There are more; --limit ${most * 2} shows them.`];
    return { text: [...entries.map(line), ...more].join('\n') || 'There are no entries.', json: entries };
  },
};

const line = ({ at, summary, ip }: AuditEntry): string => [at, summary, ...(ip ? [`(${ip})`] : [])].join('  ');

function limitIn(text = '50'): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--limit must be a whole number of at least 1, not "${text}".`);
}
