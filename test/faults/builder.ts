import type { CheckItem } from '#lib/checks/check-item.ts';
import { RECLAIM_AFTER_MS } from '#lib/platform/table/reclaim.ts';
import { checksIn } from '#test/oracle/inside.ts';
import type { OperatorWorld } from './alerting-bodies.ts';
import { newCheck } from './new-check.ts';
import { entitiesIn } from './operator.ts';
import { insist } from './requests.ts';

/** Number of created checks from which the builder deletes more than it creates. */
const KEPT = 6;
/** Delays until a change is reverted (ms). */
const SOON = [0, 50, 3_000, 20_000];
/** Intervals that no other check has. */
const RARE_SECONDS = [25, 35, 55];

/**
 * Runs a pipeline that changes many checks of a cell at once: it creates some while it deletes others, gives several
 * the same interval, and reverts changes before their background work is done.
 */
export async function runBuilder(world: OperatorWorld, end: number): Promise<void> {
  const { random, clock, seen, client } = world;
  const made: string[] = [];
  let number = 1000;

  const make = async (): Promise<void> => {
    const entities = entitiesIn(seen);
    if (entities.length === 0) return;
    const body = newCheck(random, random.pick(entities), number++);
    const response = await insist(random, clock, () => client('POST', '/v1/checks', body));
    if (response?.status === 201) made.push((response.body as { id: string }).id);
  };
  const remove = async (): Promise<void> => {
    const [id] = made.splice(random.int(0, made.length - 1), 1);
    if (id) await insist(random, clock, () => client('DELETE', `/v1/checks/${id}`));
  };
  const put = (id: string, body: object) => insist(random, clock, () => client('PUT', `/v1/checks/${id}`, body));
  const pullChecks = (): CheckItem[] => checksIn(seen).filter(({ execution_mode }) => execution_mode === 'pull');
  const thereAndBack = async ({ id, enabled, interval_seconds }: CheckItem): Promise<void> => {
    const [there, back] = random.chance(0.5)
      ? [{ enabled: !enabled }, { enabled }]
      : [{ interval_seconds: random.pick([10, 20, 30, 60]) }, { interval_seconds }];
    await put(id, there);
    await clock.sleep(random.pick(SOON));
    await put(id, back);
  };
  /**
   * Moves a check back to an interval that it left, at about the time when a recount of its cell deletes that interval.
   */
  const leaveAndJoin = async ({ id, interval_seconds }: CheckItem, rare: number): Promise<void> => {
    await put(id, { interval_seconds: rare, enabled: true });
    const left = clock.now();
    await put(id, random.chance(0.5) ? { interval_seconds } : { enabled: false });
    await clock.sleep(Math.max(0, left + RECLAIM_AFTER_MS + random.int(-60, 60) - clock.now()));
    await put(id, { interval_seconds: rare, enabled: true });
    await clock.sleep(random.int(0, 15_000));
    await put(id, { interval_seconds });
  };

  for (;;) {
    await clock.sleep(random.int(20_000, 120_000));
    if (clock.now() >= end) return;
    const checks = pullChecks();
    const kind = random.int(1, 4);
    if (kind === 1) {
      const removals = made.length >= KEPT ? KEPT / 2 : random.int(0, 2);
      const work = [make, make, ...Array.from({ length: removals }, () => remove)];
      await Promise.all(work.map((one) => one()));
    } else if (kind === 2 && checks.length > 0) {
      const interval_seconds = random.pick([10, 15, 20, 30, 45]);
      const together = [random.pick(checks), random.pick(checks), random.pick(checks)];
      await Promise.all(together.map(({ id }) => put(id, { interval_seconds })));
    } else if (kind === 3 && checks.length > 0) await thereAndBack(random.pick(checks));
    else if (checks.length > 0) await Promise.all(RARE_SECONDS.map((rare) => leaveAndJoin(random.pick(checks), rare)));
  }
}
