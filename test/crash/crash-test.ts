import { type CaseResult, Cases } from './cases.ts';
import { delivered, type Evaluation, evaluate, evaluateEnd } from './evaluate.ts';
import { firstStarts } from './first-starts.ts';
import { type Fleet, makeFleet } from './fleet.ts';
import { type Sent, startBeating } from './load.ts';
import { type Round, runRound } from './round.ts';

/**
 * Runs rounds of load and kill -9 on one service in its own process, after some killed first starts. Each round is
 * evaluated after the restart, and all of them again at the end.
 * @param say prints a line for each round, and lines for violations
 */
export async function crashTest(rounds: number, seed: number, say: (line: string) => void): Promise<CaseResult[]> {
  const cases = new Cases(say);
  cases.conclude('first starts', { wrong: await firstStarts(seed), totals: {} }, 'killed on empty folders');
  await using stack = new AsyncDisposableStack();
  const fleet = await makeFleet(stack, seed);
  stack.defer(() => fleet.pipelines.stop());
  const sent: Sent = { pushes: [], executions: [] };
  const beating = startBeating(fleet, sent);
  stack.defer(beating.stop);
  fleet.calm = false;
  try {
    for (let number = 1; number <= rounds; number++) {
      const { round, evaluation } = await evaluateRound(fleet, sent, seed, number);
      cases.conclude(`round ${number}`, evaluation, summaryOf(round));
    }
    cases.conclude('the end', await evaluateEnd(fleet, sent), `${fleet.lives.all.length} lives`);
    await beating.stop();
    if (beating.error) throw beating.error;
  } catch (error) {
    // An unexpected response, or a start or read that fails by itself, ends the test: later rounds would show nothing.
    const { message } = error as Error;
    cases.conclude('aborted', { wrong: [message], totals: {} }, `after ${cases.all.at(-1)!.name}`);
  }
  return cases.all;
}

async function evaluateRound(
  fleet: Fleet,
  sent: Sent,
  seed: number,
  number: number,
): Promise<{ round: Round; evaluation: Evaluation }> {
  const round = await runRound(fleet, sent, seed, number);
  // In every other round the next load starts while the alerts of this one are still in progress.
  const until = number % 2 === 0 ? fleet.lives.all.at(-1)!.spawned_at : 0;
  if (until > 0) await delivered(fleet, until);
  const { wrong, totals } = await evaluate(fleet, sent, until);
  return { round, evaluation: { wrong: [...round.wrong, ...wrong], totals } };
}

function summaryOf({ killed_after, away, starts_killed, ready_in, back_on_slots_in }: Round): string {
  const starts = starts_killed.map((ms) => `, a start killed after ${ms} ms`).join('');
  return `killed after ${killed_after} ms, down for ${away} ms${starts}; ready in ${ready_in} ms, on slots after ${back_on_slots_in} ms`;
}
