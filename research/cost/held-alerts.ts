import { differenceOf, dividedBy, dollarsOf, noUnits, sumOf, UNITS, type Units } from './prices.ts';
import { dollars, tableOf, verdict } from './report-table.ts';
import type { Report } from './reports.ts';
import { incidentOfAll } from './scenarios.ts';
import type { Counted } from './virtual-aws.ts';

/** Checks that fail together, four per entity. All other entities depend on a root entity, which has ROOT checks. */
const CHECKS = 200;
const ROOT = 4;
const HELD = CHECKS - ROOT;

const totalOf = ({ paths }: Counted): Units => sumOf([...paths.values()]);
/** Whether all units are zero, except for GB-seconds, which vary randomly. */
const isNone = (units: Units): boolean => UNITS.every((unit) => unit === 'gb_seconds' || Math.abs(units[unit]) < 1e-9);
/** Maximum price of a suppressed failure of twelve minutes, in $ per million. */
const MAX_DOLLARS = 90;

/**
 * Prices a suppressed alert that was held until its cause was known. Compares an incident in a fleet with relations and
 * in the same fleet without relations. Outside an incident, relations cost nothing.
 */
export async function heldAlerts(): Promise<Report> {
  const [calm, calmRelated] = [await incidentOfAll(CHECKS, false, false), await incidentOfAll(CHECKS, true, false)];
  const [alerted, held] = [await incidentOfAll(CHECKS, false, true), await incidentOfAll(CHECKS, true, true)];
  const alertedUnits = dividedBy(differenceOf(totalOf(alerted), totalOf(calm)), CHECKS);
  const paths = [...new Set([...held.paths.keys(), ...calmRelated.paths.keys()])];
  const more = (path: string) => differenceOf(held.paths.get(path) ?? noUnits(), calm.paths.get(path) ?? noUnits());
  // Without the units of the root cause, which is alerted.
  const ofHeld = dividedBy(differenceOf(sumOf(paths.map(more)), dividedBy(alertedUnits, 1 / ROOT)), HELD);
  const rows = [
    ...paths.filter((path) => !isNone(more(path))).map((name) => ({ name, units: dividedBy(more(name), HELD) })),
    { name: 'one held, suppressed', units: ofHeld },
    { name: 'one alerted', units: alertedUnits },
  ];
  const steady = differenceOf(totalOf(calmRelated), totalOf(calm));
  const isFree = isNone(steady);
  return {
    title: `Failure of ${CHECKS} checks with recovery, ${HELD} of them dependents: ${held.alerts} alerts, ${alerted.alerts} without relations`,
    text: [
      tableOf(rows),
      `Prices include both state changes. An alerted failure with recovery: ${dollars(dollarsOf(alertedUnits) * 1e6)} per million.`,
    ].join('\n'),
    targets: [
      verdict('failures suppressed for their root cause', dollarsOf(ofHeld) * 1e6, MAX_DOLLARS),
      `${isFree ? 'ok  ' : 'OVER'} steady runs of checks with dependencies: ${isFree ? 'nothing' : JSON.stringify(steady)} more`,
    ],
  };
}
