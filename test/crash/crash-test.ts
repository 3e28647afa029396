import { firstStarts } from './first-starts.ts';
import { makeFleet } from './fleet.ts';
import { delivered, type Judgement, judge, judgeEnd, type Totals } from './judge.ts';
import { type Sent, startBeating } from './load.ts';
import { goThrough, type Round } from './round.ts';

/** One case: the first starts, a round, or the end. */
export type Verdict = { name: string; wrong: string[]; totals: Totals };

const SHOWN = 8;

/**
 * Rounds of load and kill -9 on one service, in a process of its own, after some first starts that are killed. Each is
 * judged after the restart, and all of them once more at the end.
 * @param say gets a line for each round, and lines for what broke
 */
export async function crashTest(rounds: number, seed: number, say: (line: string) => void): Promise<Verdict[]> {
  await using stack = new AsyncDisposableStack();
  const fleet = await makeFleet(stack, seed);
  stack.defer(() => fleet.pipelines.stop());
  const sent: Sent = { pushes: [], runs: [] };
  const stopBeating = startBeating(fleet, sent);
  stack.defer(stopBeating);
  const verdicts: Verdict[] = [];
  const known = new Set<string>();
  const conclude = (name: string, judgement: Judgement, how: string) => {
    const { totals } = judgement;
    // What broke once is found again by each later look: it counts where it was found first.
    const wrong = judgement.wrong.filter((text) => !known.has(text));
    for (const text of wrong) known.add(text);
    const before = verdicts.at(-1)?.totals ?? {};
    say(`${name}: ${how}${wrong.length === 0 ? '' : `; BROKEN ${wrong.length}`}`);
    const news = newsOf(totals, before);
    if (news !== '') say(`   ${news}`);
    for (const text of wrong.slice(0, SHOWN)) say(`   BROKEN: ${text}`);
    verdicts.push({ name, wrong, totals });
  };

  const early = await firstStarts(seed);
  conclude('first starts', { wrong: early, totals: {} }, 'killed on empty folders');
  fleet.calm = false;
  for (let number = 1; number <= rounds; number++) {
    const round = await goThrough(fleet, sent, seed, number);
    // Every other round the next load begins while the alerts of this one are still on their way.
    const until = number % 2 === 0 ? fleet.lives.all.at(-1)!.spawned_at : 0;
    if (until > 0) await delivered(fleet, until);
    const { wrong, totals } = await judge(fleet, sent, until);
    conclude(`round ${number}`, { wrong: [...round.wrong, ...wrong], totals }, howItWent(round));
  }
  conclude('the end', await judgeEnd(fleet, sent), `${fleet.lives.all.length} lives`);
  return verdicts;
}

function howItWent({ killed_after, away, starts_killed, ready_in, back_on_slots_in }: Round): string {
  const starts = starts_killed.map((ms) => `, a start killed after ${ms} ms`).join('');
  return `killed after ${killed_after} ms, away ${away} ms${starts}; ready in ${ready_in} ms, on slots after ${back_on_slots_in} ms`;
}

/** The totals that moved, with how much they did. */
const newsOf = (totals: Totals, before: Totals): string =>
  Object.entries(totals)
    .filter(([, total]) => total > 0)
    .map(([name, total]) => `${name.replaceAll('_', ' ')} ${total} (${signed(total - (before[name] ?? 0))})`)
    .join(', ');

const signed = (n: number): string => (n < 0 ? `${n}` : `+${n}`);
