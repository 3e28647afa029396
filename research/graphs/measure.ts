import { isBeyond, type OwnFailure, ownFailures } from './own-failures.ts';
import type { Alert } from './policies/policy.ts';
import type { Incident } from './scenes.ts';

/** What came of an incident under a policy; times in seconds, undefined for never. */
export type Outcome = {
  pages: number;
  messages: number;
  /** The first page after the first failure, whichever entity it is about. */
  first: number | undefined;
  /** The same without any rule. */
  first_without: number | undefined;
  /** An alert that is about a root or names it. */
  named: number | undefined;
  own: OwnFailure[];
};

/** @param without what no rule at all would have sent */
export function outcomeOf(incident: Incident, alerts: readonly Alert[], without: readonly Alert[]): Outcome {
  const { roots, began } = incident;
  const after = (alert: Alert | undefined) => alert && (alert.at - began) / 1000;
  const pages = alerts.filter(({ urgency }) => urgency === 'high');
  const names = ({ entity, root }: Alert) => roots.includes(entity) || (root !== undefined && roots.includes(root));
  return {
    pages: pages.length,
    messages: alerts.length,
    first: after(pages[0]),
    first_without: after(without[0]),
    named: after(alerts.find(names)),
    own: ownFailures(incident, alerts),
  };
}

const quantile = (numbers: number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? Number.NaN;
const mean = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
const most = (numbers: number[]): number => (numbers.length === 0 ? Number.NaN : Math.max(...numbers));
const round = (number: number): string => (Number.isNaN(number) ? '–' : number.toFixed(1));

/** A table of texts, the first column what the rows are about. */
export type Table = { headings: string[]; rows: string[][] };

/** What is measured of each rule over the same incidents. */
export type Measured = ReadonlyMap<string, readonly Outcome[]>;

/** How much later (s) the first page came than without any rule. */
const later = (outcomes: readonly Outcome[]): number[] =>
  outcomes.flatMap(({ first, first_without }) =>
    first === undefined || first_without === undefined ? [] : [first - first_without],
  );

const silent = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ first, first_without }) => first === undefined && first_without !== undefined).length;

/** Pages, messages, how much later the first page came, and when the root was named. */
export function pagesTable(measured: Measured): Table {
  const rows = [...measured].map(([name, outcomes]) => {
    const pages = outcomes.map((one) => one.pages);
    const delays = later(outcomes);
    const named = outcomes.flatMap((one) => one.named ?? []);
    return [
      name,
      `${round(mean(pages))}, ${quantile(pages, 0.95)}, ${most(pages)}`,
      round(mean(outcomes.map((one) => one.messages))),
      `${round(quantile(delays, 0.5))}, ${round(quantile(delays, 0.95))}, ${round(most(delays))}`,
      `${Math.round(quantile(named, 0.5))}, ${Math.round(quantile(named, 0.95))}`,
      String(silent(outcomes)),
    ];
  });
  const headings = [
    'rule',
    'pages: mean, p95, most',
    'messages',
    'first page later (s): p50, p95, most',
    'root named after (s): p50, p95',
    'silent',
  ];
  return { headings, rows };
}

/** Of failures of an entity's own: how many were told, when, and how many not within their bound. */
export function ownTable(measured: Measured): Table {
  const rows = [...measured].map(([name, outcomes]) => {
    const own = outcomes.flatMap((one) => one.own);
    const bounds = own.map(({ bound }) => bound / 1000);
    const told = own.flatMap((one) => (one.told === undefined ? [] : [one.told / 1000]));
    return [
      name,
      String(own.length),
      String(own.filter(({ ended }) => ended).length),
      `${round(quantile(told, 0.5))}, ${round(quantile(told, 0.95))}, ${round(most(told))}`,
      `${round(Math.min(...bounds))} to ${round(most(bounds))}`,
      String(own.filter(isBeyond).length),
    ];
  });
  const headings = [
    'rule',
    'own failures',
    'over before the bound, untold',
    'told after all else is gone (s; below 0: before): p50, p95, most',
    'bound (s)',
    'untold beyond it',
  ];
  return { headings, rows };
}

/** Mean and most pages of each rule by kind of fleet. */
export function shapesTable(byShape: ReadonlyMap<string, Measured>): Table {
  const rules = [...[...byShape.values()][0]!.keys()];
  const rows = [...byShape].map(([shape, measured]) => [
    shape,
    ...rules.map((rule) => {
      const pages = measured.get(rule)!.map((one) => one.pages);
      return `${round(mean(pages))}, ${most(pages)}`;
    }),
  ]);
  return { headings: ['pages by kind of fleet: mean, most', ...rules], rows };
}
