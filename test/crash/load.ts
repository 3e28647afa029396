import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import { makeRandom, type Random } from '#test/support/random.ts';
import type { Fleet, Watched } from './fleet.ts';
import { unlessCut } from './unless-cut.ts';

/** A push, as its agent knows it. Times in epoch ms. */
export type Push = {
  kind: 'plain' | 'keyed' | 'beat';
  check: string;
  /** Its error message, by which it is found again; empty for a heartbeat. */
  tag: string;
  /** Idempotency-Key. */
  key?: string;
  body?: object;
  sent_at: number;
  /** The record that it was answered with, and when. */
  answer?: { at: number; record: Answer['body'] };
};

/** A run that somebody asked for and was answered. */
export type RunByHand = Answer['body'];

/** Everything that was sent, answered or not. */
export type Sent = { pushes: Push[]; runs: RunByHand[] };

const PLAIN_AGENTS = 5;
const KEYED_AGENTS = 3;

/**
 * Agents push and run actions, each as its own seed says, until the service is gone or they are stopped.
 * @returns stops them and resolves when all of them are at rest
 */
export function startLoad(fleet: Fleet, sent: Sent, seed: number, round: number): () => Promise<void> {
  let stopped = false;
  const agents = Array.from({ length: PLAIN_AGENTS + KEYED_AGENTS }, async (_, number) => {
    const random = makeRandom(seed * 100_000 + round * 100 + number);
    const isKeyed = number >= PLAIN_AGENTS;
    const checks = isKeyed ? fleet.keyed : fleet.plain;
    for (let n = 0; !stopped; n++) {
      const push = newPush(random.pick(checks), random, `round ${round}, agent ${number}, push ${n}`, isKeyed);
      sent.pushes.push(push);
      if (!(await pushOnce(fleet, push))) return;
      await pause(random.int(5, 60));
    }
  });
  const operator = async () => {
    while (!stopped) {
      const answer = await unlessCut(fleet.client.post(`/v1/actions/${fleet.byHand.id}/run`));
      if (!answer) return;
      sent.runs.push(got(answer, 200));
      await pause(150);
    }
  };
  const once = beat(fleet, sent, fleet.mute);
  const all = Promise.all([...agents, operator(), once]);
  // Told to whoever stops them.
  all.catch(() => {});
  return async () => {
    stopped = true;
    await all;
  };
}

function newPush(check: Watched, random: Random, tag: string, isKeyed: boolean): Push {
  const body = { success: random.chance(0.8), latency_ms: random.int(0, 500), error_message: tag };
  const key = isKeyed ? { key: tag.replaceAll(/\W+/g, '-') } : {};
  return { kind: isKeyed ? 'keyed' : 'plain', check: check.id, tag, body, sent_at: Date.now(), ...key };
}

/**
 * Sends a push, or sends it again. @returns whether it was answered; throws when with anything but 201, or with another
 * record than before
 */
export async function pushOnce({ client }: Fleet, push: Push): Promise<boolean> {
  const path = `/v1/checks/${push.check}/${push.kind === 'beat' ? 'heartbeat' : 'results'}`;
  const headers: Record<string, string> = push.key === undefined ? {} : { 'idempotency-key': push.key };
  const answer = await unlessCut(client.send('POST', path, { body: push.body, headers }));
  if (!answer) return false;
  const record = got(answer, 201);
  if (push.answer && push.answer.record.id !== record.id) {
    throw new Error(`the key of "${push.tag}" answered ${record.id}, and ${push.answer.record.id} before`);
  }
  push.answer ??= { at: Date.now(), record };
  return true;
}

async function beat(fleet: Fleet, sent: Sent, check: Watched): Promise<boolean> {
  const push: Push = { kind: 'beat', check: check.id, tag: '', sent_at: Date.now() };
  sent.pushes.push(push);
  return pushOnce(fleet, push);
}

const BEAT_MS = 300;

export type Beating = { stop(): Promise<void>; error?: Error };

/** Heartbeats through all lives of the service, until they are stopped or are answered with an `error`. */
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
