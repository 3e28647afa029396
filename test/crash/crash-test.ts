import { firstStarts } from './first-starts.ts';
import { type Fleet, makeFleet } from './fleet.ts';
import { delivered, type Judgement, judge, judgeEnd } from './judge.ts';
import { type Sent, startBeating } from './load.ts';
import { goThrough, type Round } from './round.ts';
import { type Verdict, Verdicts } from './verdicts.ts';

/**
 * Rounds of load and kill -9 on one service, in a process of its own, after some first starts that are killed. Each is
 * judged after the restart, and all of them once more at the end.
 * @param say gets a line for each round, and lines for what broke
 */
export async function crashTest(rounds: number, seed: number, say: (line: string) => void): Promise<Verdict[]> {
  const verdicts = new Verdicts(say);
  verdicts.conclude('first starts', { wrong: await firstStarts(seed), totals: {} }, 'killed on empty folders');
  await using stack = new AsyncDisposableStack();
  const fleet = await makeFleet(stack, seed);
  stack.defer(() => fleet.pipelines.stop());
  const sent: Sent = { pushes: [], runs: [] };
  const beating = startBeating(fleet, sent);
  stack.defer(beating.stop);
  fleet.calm = false;
  try {
    for (let number = 1; number <= rounds; number++) {
      const { round, judgement } = await liveThrough(fleet, sent, seed, number);
      verdicts.conclude(`round ${number}`, judgement, howItWent(round));
    }
    verdicts.conclude('the end', await judgeEnd(fleet, sent), `${fleet.lives.all.length} lives`);
    await beating.stop();
    if (beating.error) throw beating.error;
  } catch (error) {
    // An answer that no crash excuses, or none at all: what comes after it would tell nothing.
    const { message } = error as Error;
    verdicts.conclude('broken off', { wrong: [message], totals: {} }, `after ${verdicts.all.at(-1)!.name}`);
  }
  return verdicts.all;
}

async function liveThrough(
  fleet: Fleet,
  sent: Sent,
  seed: number,
  number: number,
): Promise<{ round: Round; judgement: Judgement }> {
  const round = await goThrough(fleet, sent, seed, number);
  // Every other round the next load begins while the alerts of this one are still on their way.
  const until = number % 2 === 0 ? fleet.lives.all.at(-1)!.spawned_at : 0;
  if (until > 0) await delivered(fleet, until);
  const { wrong, totals } = await judge(fleet, sent, until);
  return { round, judgement: { wrong: [...round.wrong, ...wrong], totals } };
}

function howItWent({ killed_after, away, starts_killed, ready_in, back_on_slots_in }: Round): string {
  const starts = starts_killed.map((ms) => `, a start killed after ${ms} ms`).join('');
  return `killed after ${killed_after} ms, away ${away} ms${starts}; ready in ${ready_in} ms, on slots after ${back_on_slots_in} ms`;
}
