import { unavailable } from '#lib/aws/in-rounds.ts';
import type { Clock, Ids } from '#lib/platform/ports.ts';

export type Pauses = { clock: Pick<Clock, 'sleep'>; ids: Pick<Ids, 'random'> };

const ROUNDS = 8;
const FIRST_PAUSE_MS = 25;

/**
 * Asks for a batch until nothing is left over: AWS may take a part of it and leave the rest. Waits longer before each
 * round, 25 ms, 50, 100 … and up to half of that again at random.
 * @param ask answers what was left over
 * @throws AppError UNAVAILABLE after eight rounds; some of the batch was done
 */
export async function inRounds<T>(pauses: Pauses, batch: T[], ask: (left: T[]) => Promise<T[]>): Promise<void> {
  let left = batch;
  for (let round = 0; left.length > 0; round++) {
    if (round === ROUNDS) throw unavailable(new Error(`${left.length} of ${batch.length} were left over`));
    if (round > 0) await pauses.clock.sleep(FIRST_PAUSE_MS * 2 ** (round - 1) * (1 + pauses.ids.random() / 2));
    left = await ask(left);
  }
}
