import type { ActionVersion, History, Span } from '#test/oracle/history.ts';
import { phaseOf } from '#test/oracle/rules.ts';
import { statesOf } from '#test/support/chains.ts';
import type { ApiResponse } from '#test/support/client.ts';
import { everything } from '#test/support/fleet.ts';
import { CHANNELS, type Fleet, GRACE_S, PULL_INTERVAL_S, type Watched } from './fleet.ts';
import type { Sent } from './load.ts';

/** Returns all items of a list, oldest first. */
const listed = async ({ client }: Fleet, path: string): Promise<ApiResponse['body'][]> =>
  (await everything(client, path)).reverse();

/** Reads transitions, deliveries and executions from the service, and adds external observations. */
export async function serviceHistoryOf(fleet: Fleet, over_before: History['over_before']): Promise<History> {
  const read_at = Date.now();
  // Transitions first, then what follows from them.
  const transitions = await listed(fleet, '/v1/status/transitions?limit=500');
  const deliveries = await listed(fleet, '/v1/notify/logs?limit=1000');
  const executions: History['executions'] = [];
  for (const { id } of [...fleet.actions, fleet.manual]) {
    for (const one of await listed(fleet, `/v1/actions/${id}/executions?limit=200`))
      executions.push({ n: 1, at: Date.parse(one.created_at), began: one, last: one });
  }
  return {
    read_at,
    complete_until: transitions.length > 0 ? Date.parse(transitions.at(-1).timestamp) : 0,
    over_before,
    failed: 'process',
    away: awayIn(fleet),
    transitions: transitions.map((one) => ({ ...one, n: 1, at: Date.parse(one.timestamp) })),
    channels: CHANNELS,
    deliveries,
    executions,
    actions: new Map([...fleet.actions, fleet.manual].map((action) => [action.id, versionsOf(action)])),
    received: fleet.receiver.arrivals.map(({ id, at, status, body }) => ({
      delivery_id: id,
      at,
      status,
      count: countOf(body),
    })),
    calls: fleet.ci.arrivals.map(({ id, at, status }) => ({ execution_id: id, n: at, at, status })),
    results: [],
    missedHeartbeats: [],
    pullChecks: [],
    pushes: [],
  };
}

/** Returns the number of alerts in a webhook message, which combines alerts that waited for a limit. */
const countOf = (body: string): number => JSON.parse(body).alerts?.length ?? 1;

const versionsOf = (action: ActionVersion['action']): ActionVersion[] => [{ n: 0, at: 0, action }];

/** Returns the times from the end of each life to the start of the next. */
const awayIn = ({ lives: { all } }: Fleet): Span[] =>
  all.slice(1).map(({ spawned_at }, i) => ({ from: all[i]!.gone_at!, to: spawned_at }));

/** Reads the history with current states and pipeline reports; call it only when nothing is in progress. */
export async function historyAtRest(fleet: Fleet, over_before: History['over_before']): Promise<History> {
  const states = await statesOf(fleet.client);
  return { ...(await serviceHistoryOf(fleet, over_before)), states, reports: fleet.pipelines.reports };
}

/** Reads the whole history, with the results of every check. */
export async function historyOf(fleet: Fleet, sent: Sent, over_before: History['over_before']): Promise<History> {
  const history = await serviceHistoryOf(fleet, over_before);
  for (const { id } of [...fleet.plain, ...fleet.keyed, fleet.beating, fleet.mute]) {
    for (const record of await listed(fleet, `/v1/checks/${id}/results?limit=500`)) {
      if (record.error_kind === 'missed_heartbeat')
        history.missedHeartbeats.push({
          check_id: id,
          at: Date.parse(record.checked_at),
          failsAfter: (since) => since + GRACE_S * 1000,
        });
      else history.results.push({ id: record.id, check_id: id, n: 0, mark: record.error_message, kept: true, record });
    }
  }
  for (const check of fleet.pulled) history.pullChecks.push(await pulledOf(fleet, check));
  const outages = (await gapsOf(fleet, fleet.beating)).filter(({ cause }) => cause === 'outage');
  // Pushes that were sent during the read can be among the results.
  return { ...history, outages, pushes: [...sent.pushes], manualExecutions: sent.executions };
}

async function pulledOf(fleet: Fleet, check: Watched): Promise<History['pullChecks'][number]> {
  const { id, created_at } = check;
  const interval = PULL_INTERVAL_S * 1000;
  const phase = phaseOf(id, PULL_INTERVAL_S);
  const results = new Map<number, number>();
  for (const { checked_at } of await listed(fleet, `/v1/checks/${id}/results?limit=500`)) {
    const slot = phase + Math.floor((Date.parse(checked_at) - phase) / interval) * interval;
    results.set(slot, (results.get(slot) ?? 0) + 1);
  }
  return {
    id,
    interval_seconds: PULL_INTERVAL_S,
    // Leaves out the first slot: the probe at the creation, which belongs to the slot before, can run in it.
    from: Date.parse(created_at) + interval,
    to: Number.POSITIVE_INFINITY,
    results,
    gaps: await gapsOf(fleet, check),
  };
}

/** Returns the gaps of a check, ascending. */
async function gapsOf({ client }: Fleet, { id }: Watched): Promise<History['pullChecks'][number]['gaps']> {
  const gaps = await everything(client, `/v1/checks/${id}/gaps`);
  return gaps.map(({ from, to, cause }) => ({ from: Date.parse(from), to: Date.parse(to), cause }));
}
