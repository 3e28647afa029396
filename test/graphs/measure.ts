import type { Alert } from './policies/policy.ts';
import type { Incident } from './scenes.ts';

/** What came of an incident under a policy; times in seconds, undefined for never. */
export type Outcome = {
  pages: number;
  messages: number;
  /** The first page after the first failure, whichever entity it is about. */
  first: number | undefined;
  /** An alert that is about a root or names it. */
  named: number | undefined;
};

export function outcomeOf({ roots, began }: Incident, alerts: readonly Alert[]): Outcome {
  const after = (alert: Alert | undefined) => alert && (alert.at - began) / 1000;
  const pages = alerts.filter(({ urgency }) => urgency === 'high');
  const names = ({ entity, root }: Alert) => roots.includes(entity) || (root !== undefined && roots.includes(root));
  return {
    pages: pages.length,
    messages: alerts.length,
    first: after(pages[0]),
    named: after(alerts.find(names)),
  };
}

const quantile = (numbers: number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? Number.NaN;
const mean = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** A line of the table: pages, messages, and how much later the first page came than without any rule. */
export function row(name: string, outcomes: readonly Outcome[], today: readonly Outcome[]): string[] {
  const pages = outcomes.map((one) => one.pages);
  const later = outcomes.flatMap((one, i) =>
    one.first === undefined || today[i]!.first === undefined ? [] : [one.first - today[i]!.first],
  );
  const silent = outcomes.filter((one, i) => one.first === undefined && today[i]!.first !== undefined).length;
  const named = outcomes.flatMap((one) => one.named ?? []);
  const round = (number: number) => (Number.isNaN(number) ? '–' : number.toFixed(1));
  return [
    name,
    `${round(mean(pages))}, ${quantile(pages, 0.95)}, ${Math.max(...pages)}`,
    round(mean(outcomes.map((one) => one.messages))),
    `${round(quantile(later, 0.5))}, ${round(quantile(later, 0.95))}, ${round(Math.max(...later))}`,
    `${Math.round(quantile(named, 0.5))}, ${Math.round(quantile(named, 0.95))}`,
    String(silent),
  ];
}
