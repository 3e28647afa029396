import { isBeyond, type OwnFailure, ownFailures } from './own-failures.ts';
import type { Alert } from './policies/policy.ts';
import type { Incident } from './scenes.ts';

/** Outcome of an incident under a policy. Times in seconds after the first failure; undefined if it never happened. */
export type Outcome = {
  pages: number;
  messages: number;
  /** First page, about any entity. */
  first: number | undefined;
  /** First page if no policy applied. */
  first_without: number | undefined;
  /** First alert that is about a root cause or names one. */
  named: number | undefined;
  own: OwnFailure[];
};

/** Computes the outcome of an incident. @param baseline alerts that would be sent without a policy */
export function outcomeOf(incident: Incident, alerts: readonly Alert[], baseline: readonly Alert[]): Outcome {
  const { roots, began } = incident;
  const after = (alert: Alert | undefined) => alert && (alert.at - began) / 1000;
  const pages = alerts.filter(({ urgency }) => urgency === 'high');
  const names = ({ entity, root }: Alert) => roots.includes(entity) || (root !== undefined && roots.includes(root));
  return {
    pages: pages.length,
    messages: alerts.length,
    first: after(pages[0]),
    first_without: after(baseline[0]),
    named: after(alerts.find(names)),
    own: ownFailures(incident, alerts),
  };
}

const quantile = (numbers: number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? Number.NaN;
const mean = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
const max = (numbers: number[]): number => (numbers.length === 0 ? Number.NaN : Math.max(...numbers));
const round = (number: number): string => (Number.isNaN(number) ? '–' : number.toFixed(1));

/** Table of texts; the first column is the policy. */
export type Table = { headings: string[]; rows: string[][] };

/** Outcomes of each policy for the same incidents. */
export type Measured = ReadonlyMap<string, readonly Outcome[]>;

/** Returns how much later (s) the first page is sent than without a policy, for incidents with a page in both cases. */
const delaysOf = (outcomes: readonly Outcome[]): number[] =>
  outcomes.flatMap(({ first, first_without }) =>
    first === undefined || first_without === undefined ? [] : [first - first_without],
  );

/** Returns the number of incidents without a page that would have one without a policy. */
const countWithoutPage = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ first, first_without }) => first === undefined && first_without !== undefined).length;

/** Formats pages, messages, delay of the first page, and time until the root cause was named. */
export function pagesTable(measured: Measured): Table {
  const rows = [...measured].map(([name, outcomes]) => {
    const pages = outcomes.map((one) => one.pages);
    const delays = delaysOf(outcomes);
    const named = outcomes.flatMap((one) => one.named ?? []);
    return [
      name,
      `${round(mean(pages))}, ${quantile(pages, 0.95)}, ${max(pages)}`,
      round(mean(outcomes.map((one) => one.messages))),
      `${round(quantile(delays, 0.5))}, ${round(quantile(delays, 0.95))}, ${round(max(delays))}`,
      `${Math.round(quantile(named, 0.5))}, ${Math.round(quantile(named, 0.95))}`,
      String(countWithoutPage(outcomes)),
    ];
  });
  const headings = [
    'policy',
    'pages: mean, p95, max',
    'messages',
    'delay of the first page (s): p50, p95, max',
    'root cause named after (s): p50, p95',
    'no page',
  ];
  return { headings, rows };
}

/** Formats the entities' own failures: when they were reported, and how many were not reported within their bound. */
export function ownTable(measured: Measured): Table {
  const rows = [...measured].map(([name, outcomes]) => {
    const own = outcomes.flatMap((one) => one.own);
    const bounds = own.map(({ bound }) => bound / 1000);
    const reported = own.flatMap((one) => (one.reported === undefined ? [] : [one.reported / 1000]));
    return [
      name,
      String(own.length),
      String(own.filter(({ ended }) => ended).length),
      `${round(quantile(reported, 0.5))}, ${round(quantile(reported, 0.95))}, ${round(max(reported))}`,
      `${round(Math.min(...bounds))} to ${round(max(bounds))}`,
      String(own.filter(isBeyond).length),
    ];
  });
  const headings = [
    'policy',
    'own failures',
    'ended within the bound, unreported',
    'reported after recovery of what explains it (s; below 0: before): p50, p95, max',
    'bound (s)',
    'unreported after the bound',
  ];
  return { headings, rows };
}

/** Formats the mean and maximum number of pages of each policy, by shape of fleet. */
export function shapesTable(byShape: ReadonlyMap<string, Measured>): Table {
  const policies = [...[...byShape.values()][0]!.keys()];
  const rows = [...byShape].map(([shape, measured]) => [
    shape,
    ...policies.map((name) => {
      const pages = measured.get(name)!.map((one) => one.pages);
      return `${round(mean(pages))}, ${max(pages)}`;
    }),
  ]);
  return { headings: ['pages by kind of fleet: mean, max', ...policies], rows };
}
