import { setTimeout as pause } from 'node:timers/promises';
import type { PushAttempt } from '#test/oracle/history.ts';
import type { ApiResponse } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import { makeRandom, type Random } from '#test/support/random.ts';
import type { Fleet, Watched } from './fleet.ts';
import { unlessCut } from './unless-cut.ts';

/** The content of a push. */
export type Push = Pick<PushAttempt, 'check_id' | 'push' | 'identified' | 'body'>;

/** Response to a manual run of an action: the execution. */
export type ManualExecution = ApiResponse['body'];

/** All pushes that were sent, acknowledged or not, and the acknowledged manual executions. */
export type Sent = { pushes: PushAttempt[]; executions: ManualExecution[] };

const PLAIN_AGENTS = 5;
const KEYED_AGENTS = 3;

/**
 * Sends one heartbeat, and starts agents that push, each with its own seed, and an operator who runs an action. They
 * end when the service is gone or they are stopped.
 * @returns a function that stops them and resolves when all have ended
 */
export function startLoad(fleet: Fleet, sent: Sent, seed: number, round: number): () => Promise<void> {
  let stopped = false;
  const agents = Array.from({ length: PLAIN_AGENTS + KEYED_AGENTS }, async (_, number) => {
    const random = makeRandom(seed * 100_000 + round * 100 + number);
    const isKeyed = number >= PLAIN_AGENTS;
    const checks = isKeyed ? fleet.keyed : fleet.plain;
    for (let n = 0; !stopped; n++) {
      const push = newPush(random.pick(checks), random, `round ${round}, agent ${number}, push ${n}`, isKeyed);
      if (!(await pushOnce(fleet, sent, push))) return;
      await pause(random.int(5, 60));
    }
  });
  const operator = async () => {
    while (!stopped) {
      const response = await unlessCut(fleet.client.post(`/v1/actions/${fleet.manual.id}/run`));
      if (!response) return;
      sent.executions.push(got(response, 200));
      await pause(150);
    }
  };
  const once = beat(fleet, sent, fleet.mute);
  const all = Promise.all([...agents, operator(), once]);
  // Errors are reported to the caller that stops them.
  all.catch(() => {});
  return async () => {
    stopped = true;
    await all;
  };
}

/** Returns a push with random content. @param mark its error message, which identifies its result */
function newPush({ id: check_id }: Watched, random: Random, mark: string, identified: boolean): Push {
  const body = { success: random.chance(0.8), latency_ms: random.int(0, 500), error_message: mark };
  return { check_id, push: mark, identified, body };
}

/**
 * Sends a push, or repeats it: with an Idempotency-Key if it is identified, as a heartbeat if it has no body.
 * @returns whether it was acknowledged
 * @throws if the response is not 201
 */
export async function pushOnce({ client }: Fleet, { pushes }: Sent, push: Push): Promise<boolean> {
  const { check_id, identified, body } = push;
  const at = Date.now();
  const attempt: PushAttempt = { ...push, started_n: at, started_at: at };
  pushes.push(attempt);
  const headers: Record<string, string> = identified ? { 'idempotency-key': push.push.replaceAll(/\W+/g, '-') } : {};
  const path = `/v1/checks/${check_id}/${body ? 'results' : 'heartbeat'}`;
  const response = await unlessCut(client.send('POST', path, { body, headers }));
  if (!response) return false;
  const record = got(response, 201);
  attempt.answered = { n: Date.now(), at: Date.now(), status: response.status, result_id: record.id, record };
  return true;
}

const beat = (fleet: Fleet, sent: Sent, { id: check_id }: Watched): Promise<boolean> =>
  pushOnce(fleet, sent, { check_id, push: `heartbeat ${sent.pushes.length}`, identified: false, body: undefined });

const BEAT_MS = 300;

export type Beating = { stop(): Promise<void>; error?: Error };

/** Sends heartbeats through all lives of the service, until `stop` is called or a response is an error. */
export function startBeating(fleet: Fleet, sent: Sent): Beating {
  let stopped = false;
  const going = async () => {
    while (!stopped) {
      await beat(fleet, sent, fleet.beating);
      await pause(BEAT_MS);
    }
  };
  const beating: Beating = {
    stop: () => {
      stopped = true;
      return over;
    },
  };
  const over = going().catch((error: Error) => {
    beating.error = error;
  });
  return beating;
}
