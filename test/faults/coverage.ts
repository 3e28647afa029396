import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { DeliveryItem } from '#lib/alerts/delivery-item.ts';
import type { GapNoteItem } from '#lib/health/gap-causes.ts';
import type { ResultItem } from '#lib/health/result-item.ts';
import type { TransitionItem } from '#lib/health/transition-item.ts';
import type { Run } from './simulate.ts';

/** How much of each thing happened in the runs so far. */
export type Coverage = Record<string, number>;

const isNobody = ({ error_kind }: ResultItem): boolean => error_kind === 'dns' || error_kind === 'timeout';

/** Adds what happened in a run. */
export function cover(coverage: Coverage, { seen, profile }: Run): void {
  const add = (what: string, count = 1) => {
    coverage[what] = (coverage[what] ?? 0) + count;
  };
  add(profile.quiet ? 'runs without faults' : 'runs with faults');
  add('commits', seen.commits.length);
  for (const [fault, count] of Object.entries(seen.faults)) add(`fault: ${fault}`, count);
  for (const { answered } of seen.pushes) add(answered ? `push answered ${answered.status}` : 'push not answered');
  for (const { heard } of seen.looks) add(heard ? 'witness heard' : 'witness silent');
  for (const { silences } of seen.spells) add(`spell: ${silences} silent`);
  for (const { status_code } of seen.reports) add(`report answered ${status_code ?? 'never'}`);
  add('account disabled for a time', seen.stops.length);
  for (const item of seen.table.values()) {
    if (item.sk.startsWith('TR#')) {
      const { cause, alert } = item as TransitionItem;
      add(`transition: ${cause}, ${alert.reason ?? 'planned'}`);
    } else if (item.pk.includes('#DELIVERIES#')) {
      const { kind, status } = item as DeliveryItem;
      add(`delivery: ${kind}, ${status}`);
    } else if (item.sk === 'EXECUTION') {
      const { trigger, dispatch_status, error_message } = item as ExecutionItem;
      add(`run: ${trigger}, ${error_message.startsWith('interrupted') ? 'interrupted' : dispatch_status}`);
    } else if (item.sk.startsWith('G#')) {
      add(`gap noted: ${(item as GapNoteItem).cause}`);
    } else if (item.sk.startsWith('R#')) {
      const result = item as ResultItem;
      const kind = result.received_at !== undefined ? 'push' : result.error_kind === 'silence' ? 'silence' : 'probe';
      add(`result: ${kind}${result.history ? ', history' : ''}`);
      if (kind === 'probe' && isNobody(result)) add('result: probe, no answer');
    }
  }
}
