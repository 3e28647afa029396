import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Net } from '#lib/net/net.ts';
import { targetOf } from '#test/oracle/rules.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { type Manners, refused } from './manners.ts';
import type { Observations } from './observations.ts';
import type { receivers } from './receivers.ts';
import { currentRun } from './run-context.ts';
import { HEALTH, targets } from './targets.ts';

type World = Parameters<typeof receivers>[0] & {
  referenceHost: string;
  onProbe: () => void;
  onCall: (execution_id: string) => void;
};

/**
 * Returns the net of each process. Receivers of alerts are `r….test`, targets of actions `c….example.com`, and all
 * others are targets of checks.
 * @param world `onCall` is called with the id of each execution whose request reached the target of its action
 */
export function virtualNet(world: World, post: ReturnType<typeof receivers>['post']): (process: number) => Net {
  const { random, clock, seen, manners, referenceHost } = world;
  const target = targets(world);
  const call = actionTargets(world);

  async function probeReference(process: number, timeout: number): Promise<void> {
    const down = manners.networkOutageNow(['network']);
    const one = { process, at: clock.now(), isAnswered: !down };
    seen.referenceProbes.push(one);
    try {
      await (down ? manners.silence(down, timeout) : manners.sleep(random.int(2, 300)));
    } finally {
      Object.assign(one, { ended_at: clock.now() });
    }
  }

  return (process) => ({
    http: async (request) => {
      const url = new URL(request.url);
      const at = clock.now();
      const plain = (status: number) => ({ status, headers: {}, body: '' });
      const reply = url.hostname.startsWith('r')
        ? await post(request)
        : url.hostname.startsWith('c')
          ? plain(await call(url, request.timeout_ms))
          : plain(await target.http(process, url.hostname, request.timeout_ms));
      return { ...reply, latency_ms: clock.now() - at };
    },
    open: async (request, work) => work(await target.open(process, request)),
    resolve: async ({ hostname, type, resolver, timeout_ms }) => {
      if (hostname !== referenceHost || type !== 'NS') return target.resolve(process, hostname, resolver, timeout_ms);
      await probeReference(process, timeout_ms);
      return { values: ['a.root-servers.net'], latency_ms: 20 };
    },
    guard: async () => {},
  });
}

type CallWorld = {
  random: Random;
  clock: VirtualClock;
  seen: Observations;
  manners: Manners;
  onCall: World['onCall'];
};

/** Share of successful requests of remediations that repair the host of the check. */
const REPAIRS = 0.5;

/** Returns the host that a remediation can repair; undefined for push checks, and for other or deleted actions. */
function repairedBy({ table }: Observations, execution_id: string): string | undefined {
  const items = [...table.values()];
  const run = items.find((item): item is ExecutionItem => item.sk === 'EXECUTION' && item.pk.endsWith(execution_id));
  const action = items.find((item): item is ActionItem => item.sk === run?.action_id);
  const check = action?.remediation && items.find((item): item is CheckItem => item.sk === `CHECK#${action.check_id}`);
  return check && check.execution_mode === 'pull' ? targetOf(check) : undefined;
}

/** Returns the targets of actions: a function that returns the status for a URL, which ends in the execution id. */
function actionTargets({ random, clock, seen, manners, onCall }: CallWorld) {
  return async ({ hostname, pathname }: URL, timeout: number): Promise<number> => {
    const down = manners.networkOutageNow(['network']);
    if (down) return manners.silence(down, timeout);
    const does = manners.doesNow(hostname, { wellMs: 300_000, illMs: 90_000 });
    const execution_id = pathname.slice(1);
    const status = does === 'well' ? 200 : does === 'fails' ? 503 : 0;
    if (does === 'refuses') {
      await manners.think();
      throw refused();
    }
    seen.calls.push({ n: seen.next(), execution_id, at: clock.now(), status, run: currentRun() });
    onCall(execution_id);
    const repaired = status === 200 && random.chance(REPAIRS) ? repairedBy(seen, execution_id) : undefined;
    if (repaired !== undefined) manners.repair(repaired, HEALTH);
    await manners.think();
    return does === 'hangs' ? manners.hang(timeout) : status;
  };
}
