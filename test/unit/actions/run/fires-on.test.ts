import { expect, it } from 'vitest';
import { firesOn } from '#lib/actions/run/fires-on.ts';
import type { CheckState, EntityState } from '#lib/catalog/states.ts';
import type { TransitionCause } from '#lib/checks/state/transition.ts';

const AT = '2026-11-21T05:16:40.123Z';
const transition = (check_to_state: CheckState, from_state: EntityState, to_state: EntityState) => ({
  cause: 'result' as TransitionCause,
  timestamp: AT,
  check_to_state,
  from_state,
  to_state,
});
const action = (trigger_to_state: 'down' | 'degraded' | 'up' | '', created_at = AT) => ({
  trigger_to_state,
  created_at,
});

it.each([
  ['', transition('down', 'up', 'down'), true],
  ['', transition('down', 'degraded', 'degraded'), true],
  ['down', transition('down', 'up', 'down'), true],
  ['up', transition('down', 'up', 'down'), false],
  // One of several checks fails: the check is down, the entity degraded.
  ['down', transition('down', 'up', 'degraded'), true],
  ['degraded', transition('down', 'up', 'degraded'), true],
  // A second check fails: the entity stays degraded.
  ['degraded', transition('down', 'degraded', 'degraded'), false],
  ['down', transition('down', 'degraded', 'degraded'), true],
  // The last check that was up fails.
  ['down', transition('down', 'degraded', 'down'), true],
  ['up', transition('up', 'degraded', 'up'), true],
  ['up', transition('up', 'down', 'degraded'), true],
  ['degraded', transition('up', 'down', 'degraded'), true],
  ['down', transition('up', 'down', 'degraded'), false],
] as const)('fires for trigger state "%s" at %j: %s', (state, what, expected) => {
  expect(firesOn(action(state), what)).toBe(expected);
});

it.each(['check_disabled', 'check_enabled', 'check_deleted'] as const)('does not fire on %s', (cause) => {
  expect(firesOn(action(''), { ...transition('unknown', 'up', 'unknown'), cause })).toBe(false);
});

it('fires on a missed heartbeat as on a result', () => {
  expect(firesOn(action('down'), { ...transition('down', 'up', 'down'), cause: 'missed_heartbeat' })).toBe(true);
});

it('does not fire on a transition before the creation of the action', () => {
  expect(firesOn(action('', '2026-11-21T05:16:40.124Z'), transition('down', 'up', 'down'))).toBe(false);
});
