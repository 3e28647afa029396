import { dollars, tableOf, verdict } from './page.ts';
import { differenceOf, dollarsOf, noUnits, shareOf, sumOf, UNITS, type Units } from './prices.ts';
import type { Report } from './reports.ts';
import { incidentOfAll } from './scenarios.ts';
import type { Counted } from './virtual-aws.ts';

/** Checks that fail together, four to an entity; all entities but one depend on that one. */
const CHECKS = 200;
const ROOT = 4;
const HELD = CHECKS - ROOT;

const totalOf = ({ paths }: Counted): Units => sumOf([...paths.values()]);
/** Without GB-seconds, which differ by chance. */
const isNone = (units: Units): boolean => UNITS.every((unit) => unit === 'gb_seconds' || Math.abs(units[unit]) < 1e-9);
/** $ a million, of a failure of twelve minutes. */
const MAX_DOLLARS = 90;

/**
 * What it costs that the alert of a check is held until its cause is known, and withheld: the incident of a fleet with
 * relations against the same one without. Without an incident relations cost nothing.
 */
export async function heldAlerts(): Promise<Report> {
  const [calm, calmRelated] = [await incidentOfAll(CHECKS, false, false), await incidentOfAll(CHECKS, true, false)];
  const [told, held] = [await incidentOfAll(CHECKS, false, true), await incidentOfAll(CHECKS, true, true)];
  const toldUnits = shareOf(differenceOf(totalOf(told), totalOf(calm)), CHECKS);
  const paths = [...new Set([...held.paths.keys(), ...calmRelated.paths.keys()])];
  const more = (path: string) => differenceOf(held.paths.get(path) ?? noUnits(), calm.paths.get(path) ?? noUnits());
  // What the root itself takes, as it is told, is none of theirs.
  const ofHeld = shareOf(differenceOf(sumOf(paths.map(more)), shareOf(toldUnits, 1 / ROOT)), HELD);
  const rows = [
    ...paths.filter((path) => !isNone(more(path))).map((name) => ({ name, units: shareOf(more(name), HELD) })),
    { name: 'one held, withheld', units: ofHeld },
    { name: 'one told', units: toldUnits },
  ];
  const steady = differenceOf(totalOf(calmRelated), totalOf(calm));
  const isFree = isNone(steady);
  return {
    title: `A failure of ${CHECKS} checks and its end, ${HELD} of them dependents: ${held.alerts} alerts, ${told.alerts} without relations`,
    text: [
      tableOf(rows),
      `With both changes of state. A failure that is told, and its end: ${dollars(dollarsOf(toldUnits) * 1e6)} a million.`,
    ].join('\n'),
    targets: [
      verdict('failures withheld under their root', dollarsOf(ofHeld) * 1e6, MAX_DOLLARS),
      `${isFree ? 'ok  ' : 'OVER'} steady runs of checks with dependencies: ${isFree ? 'nothing' : JSON.stringify(steady)} more`,
    ],
  };
}
