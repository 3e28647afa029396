import { type Outcome, outcomeOf } from './measure.ts';
import type { Policy } from './policies/policy.ts';
import { none } from './policies/simple.ts';
import { makeIncident, type Scenario } from './scenes.ts';
import type { Catalog, Shape } from './world.ts';

/**
 * Outcomes of one incident, by policy. `none, real code`: outcome of the state changes in the run of `service, real
 * code` with the cooldown as the only rule.
 */
export type SimulatedIncident = { shape: Shape; outcomes: Map<string, Outcome> };

/**
 * Runs a random incident under each policy, and without one.
 * @param sizes of fleets, of which the incident uses one
 */
export async function simulateIncident(
  policies: readonly Policy[],
  ...of: [seed: number, scenario: Scenario, catalog: Catalog, sizes?: readonly number[]]
): Promise<SimulatedIncident> {
  const incident = makeIncident(...of);
  const withoutPolicy = (await none.simulate(incident.scene())).alerts;
  const outcomes = new Map([[none.name, outcomeOf(incident, withoutPolicy, withoutPolicy)]]);
  for (const { name, simulate } of policies) {
    const { alerts, without } = await simulate(incident.scene());
    if (without) outcomes.set(`none, ${name.split(', ')[1]}`, outcomeOf(incident, without, without));
    outcomes.set(name, outcomeOf(incident, alerts, without ?? withoutPolicy));
  }
  return { shape: incident.scene().world.shape, outcomes };
}
