import { eventually } from '#test/support/eventually.ts';
import { type Fleet, GRACE_S } from './fleet.ts';
import { judgeActions, judgeReports } from './judge-actions.ts';
import { duplicatesOf, judgeAlerts, judgeArrivals } from './judge-alerts.ts';
import { judgeChains, judgeStates } from './judge-chains.ts';
import { judgePushes } from './judge-pushes.ts';
import { judgeSilence } from './judge-silence.ts';
import { judgeAway, judgeSlots } from './judge-slots.ts';
import type { Sent } from './load.ts';
import { gapsOf, resultsOf, type Story, statesNow, storyOf } from './told.ts';

/** What there is so far, of everything that was counted. */
export type Totals = Record<string, number>;

/** What broke so far, one sentence each, and what there is. */
export type Judgement = { wrong: string[]; totals: Totals };

/** A probe is recorded by then (ms). */
const PROBED_MS = 3_000;
/** A run that was cut off is given up 15 s after its time-out of 3 s; the message for it comes 1 s later. */
const GIVEN_UP_MS = 45_000;
/** Three attempts of 2.5 s at a receiver with a backlog, and their waits, are over by then. */
const DELIVERED_MS = 60_000;

/**
 * Holds the service to its promises as things stand.
 * @param until epoch ms: deliveries that were planned before are over by now
 */
export async function judge(fleet: Fleet, sent: Sent, until: number): Promise<Judgement> {
  const story = await storyOf(fleet);
  const lives = fleet.lives.all;
  const results = await judgeResults(fleet, sent);
  const wrong = [
    ...results.wrong,
    ...judgeChains(story),
    ...judgeAlerts(story, lives, until),
    // A delivery that went out while the story was told has arrived by now.
    ...judgeArrivals(story, fleet.receiver.arrivals),
    ...judgeActions(story, fleet, sent.runs, Math.min(until, Date.now() - GIVEN_UP_MS)),
  ];
  return { wrong, totals: { ...results.totals, ...count(story, sent) } };
}

/** The same at the end, when nothing changes any more and everything has had the time to be over. */
export async function judgeEnd(fleet: Fleet, sent: Sent): Promise<Judgement> {
  fleet.calm = true;
  const until = Date.now();
  const stuck = (error: Error) => [error.message];
  const wrong = await eventually(async () => {
    const story = await storyOf(fleet);
    const states = await statesNow(fleet);
    const again = await storyOf(fleet);
    const isQuiet = again.feed.length === story.feed.length && !isOpen(again, until);
    const broken = [
      ...judgeStates(again, states),
      ...judgeReports(again, fleet),
      ...judgeActions(again, fleet, [], until),
    ];
    if (broken.length > 0) throw new Error(broken.slice(0, 5).join('; '));
    return isQuiet && [];
  }, DELIVERED_MS).catch(stuck);
  const last = await judge(fleet, sent, until);
  return { wrong: [...wrong, ...last.wrong], totals: last.totals };
}

/** Waits until the deliveries that were planned before an instant are over; judging tells those that are not. */
export const delivered = (fleet: Fleet, until: number): Promise<unknown> =>
  eventually(async () => !isOpen(await storyOf(fleet), until), DELIVERED_MS).catch(() => undefined);

function isOpen({ feed, deliveries }: Story, until: number): boolean {
  const planned = feed.filter((one) => Date.parse(one.timestamp) < until).flatMap((one) => one.alert.deliveries);
  const open = (one: Story['feed'][number] | undefined) => one?.status !== 'sent' && one?.status !== 'failed';
  const made = [...deliveries.values()].filter((one) => Date.parse(one.created_at) < until);
  return planned.some((id) => open(deliveries.get(id))) || made.some(open);
}

/** The results of every check, against what was pushed and what was due. */
async function judgeResults(fleet: Fleet, sent: Sent): Promise<Judgement> {
  const { lives, plain, keyed, beating, mute, pulled } = fleet;
  const wrong: string[] = [];
  const totals: Totals = { results: 0, silences: 0, slots: 0, executed: 0, missed_outage: 0, missed_late: 0 };
  const add = (name: string, more: number) => {
    totals[name] = (totals[name] ?? 0) + more;
  };
  for (const { id } of [...plain, ...keyed, beating, mute]) {
    // Those that are under way while the results are read may or may not be among them.
    const pushes = sent.pushes.filter((push) => push.check === id).map((push) => ({ ...push }));
    const results = await resultsOf(fleet, id, 0);
    const later = sent.pushes.filter((push) => push.check === id).slice(pushes.length);
    wrong.push(...judgePushes([...pushes, ...later.map(({ answer: _, ...push }) => push)], results));
    wrong.push(...judgeSilence(results, pushes, lives.all, GRACE_S * 1000));
    const silences = results.filter((one) => one.error_kind === 'silence').length;
    add('silences', silences);
    add('results', results.length - silences);
  }
  wrong.push(...judgeAway(beating, await gapsOf(fleet, beating), lives.all));
  for (const check of pulled) {
    const until = Date.now() - PROBED_MS;
    const results = await resultsOf(fleet, check.id, 0);
    const slots = judgeSlots(check, results, await gapsOf(fleet, check), lives.all, until);
    wrong.push(...slots.wrong);
    add('slots', slots.count.due);
    add('executed', slots.count.executed);
    for (const [cause, missed] of Object.entries(slots.count.missed)) add(`missed_${cause}`, missed);
  }
  return { wrong, totals };
}

function count({ feed, deliveries, executions, received }: Story, { pushes, runs }: Sent): Totals {
  const logged = [...deliveries.values()];
  const being = (status: string) => logged.filter((one) => one.status === status).length;
  const ran = (status: string) => executions.filter((one) => one.dispatch_status === status).length;
  return {
    acknowledged: pushes.filter((push) => push.answer).length,
    unanswered: pushes.filter((push) => !push.answer).length,
    transitions: feed.length,
    sent: being('sent'),
    failed: being('failed'),
    open: being('pending') + being('retrying'),
    arrivals: received.length,
    duplicates: duplicatesOf(received),
    runs_by_hand: runs.length,
    executions: executions.length,
    run_well: ran('success'),
    run_failed: ran('failed'),
    run_open: ran('pending'),
    interrupted: executions.filter((one) => one.error_message.startsWith('interrupted')).length,
  };
}
