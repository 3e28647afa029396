import type { BuiltIn } from '#lib/actions/template/variables.ts';

/** The variables that every action may use in its url and body_template: when each is there, and what it holds. */
export const variables: Readonly<Record<keyof BuiltIn, readonly [when: string, meaning: string]>> = {
  execution_id: ['always', 'Id of this run, for reports of the pipeline.'],
  action_id: ['always', 'Id of the action.'],
  action_name: ['always', 'Name of the action.'],
  timestamp: ['always', 'When it is sent, in UTC: `2026-11-21T08:01:17.000Z`.'],
  entity_id: ['state change', 'Id of the entity that the check is attached to.'],
  entity_name: ['state change', 'Name of that entity.'],
  check_id: ['state change', 'Id of the check that changed.'],
  from_state: ['state change', 'State of the entity before.'],
  to_state: ['state change', 'State of the entity after; `degraded` when another of its checks is still up.'],
  transition_id: ['state change', 'Id of the transition.'],
};
