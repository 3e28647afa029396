import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { PackItem } from '#lib/results/pack.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { changesIn, isCheckKey } from '#test/oracle/inside.ts';
import { packKeyOf } from '#test/oracle/outcomes.ts';
import { entriesOf } from '#test/support/pack-entries.ts';
import type { Observations } from './observations.ts';
import type { Run } from './simulate.ts';

/** Number of occurrences so far, by `kind: value`. */
export type Coverage = Record<string, number>;
type Add = (what: string, count?: number) => void;

const isUnanswered = ({ error_kind }: ResultItem): boolean => error_kind === 'dns' || error_kind === 'timeout';

const KIND = {
  push: 'push',
  missed_heartbeat: 'missed heartbeat',
  manual: 'manual',
  retry: 'retry',
  scheduled: 'probe',
} as const;

/** Adds the occurrences in a simulated run to `coverage`. */
export function cover(coverage: Coverage, { seen, profile }: Run): void {
  const add: Add = (what, count = 1) => {
    coverage[what] = (coverage[what] ?? 0) + count;
  };
  add(`life: ${profile.oneProcess ? 'one machine' : 'many machines'}, ${profile.quiet ? 'no faults' : 'faults'}`);
  add('commits', seen.commits.length);
  for (const [fault, count] of Object.entries(seen.faults)) add(`fault: ${fault}`, count);
  for (const { kind } of seen.storeSpells) if (kind === 'throttling') add('fault: spell of throttling');
  for (const { unresponsive } of seen.spells) add(`fault: spell of ${unresponsive} unresponsive`);
  add('fault: account disabled for a time', seen.stops.length);
  for (const run of seen.runs.values()) add(`function: ${run.function}`);
  coverRequests(seen, add);
  for (const type of checkTypes(seen)) add(`check: ${type}`);
  for (const item of seen.table.values()) coverItem(item, add);
}

/** Returns the types of all checks, including deleted ones. */
function checkTypes(seen: Observations): string[] {
  const made = changesIn(seen).filter(({ key, before }) => isCheckKey(key) && !before);
  return made.map(({ after }) => (after as CheckItem).check_type);
}

function coverRequests(seen: Observations, add: Add): void {
  for (const { answered } of seen.pushes) add(`push: ${answered ? `returned ${answered.status}` : 'no response'}`);
  for (const { kind, answered } of seen.pings) add(`ping: ${kind}, ${answered?.status ?? 'no response'}`);
  for (const { isAnswered } of seen.referenceProbes) add(`reference host: ${isAnswered ? 'response' : 'no response'}`);
  for (const { status_code } of seen.reports) add(`report: ${status_code ?? 'no response'}`);
  add('mcp: status requested', seen.statuses.length);
  for (const { type, status } of seen.received) add(`received: ${type}, ${status || 'no response'}`);
}

function coverItem(item: Item, add: Add): void {
  if (item.sk.startsWith('TR#')) {
    const { cause, alert } = item as DecidedTransition;
    add(`transition: ${cause}, ${alert.reason ?? 'planned'}`);
  } else if (item.pk.includes('#DELIVERIES#')) {
    const { kind, status, channel_type, combined_in } = item as DeliveryItem;
    if (combined_in !== null) add('delivery: combined');
    add(`delivery: ${channel_type || 'removed channel'}, ${kind}, ${status}`);
  } else if (item.sk === 'EXECUTION') {
    const { trigger, dispatch_status, error_message, attempt, verdict } = item as ExecutionItem;
    if (attempt !== null) add(`remediation: attempt ${attempt}, ${verdict ?? 'not verified'}`);
    if (dispatch_status === 'skipped') add(`remediation: stopped by ${error_message.split(':')[0]}`);
    add(`execution: ${trigger}, ${error_message.startsWith('interrupted') ? 'interrupted' : dispatch_status}`);
  } else if (packKeyOf(item)) {
    coverPack(item as PackItem, add);
  } else if (item.sk.startsWith('R#')) {
    const result = item as ResultItem;
    const kind = KIND[resultRecord('', result).kind];
    add(`result: ${kind}${result.record_only ? ', record only' : ''}`);
    if (kind === 'probe' && isUnanswered(result)) add('result: probe, no response');
  }
}

function coverPack(item: PackItem, add: Add): void {
  const { part } = packKeyOf(item)!;
  add(`pack: part ${part > 2 ? '3 or more' : part}`);
  for (const entry of entriesOf(item)) {
    if (entry.gap) add(`gap recorded: ${entry.gap}`);
    else add(`result: packed, ${entry.success ? 'success' : 'failure'}`);
  }
}
