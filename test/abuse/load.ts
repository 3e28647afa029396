import { setTimeout as pause } from 'node:timers/promises';
import { push } from './client.ts';
import type { Victim } from './victim.ts';

/**
 * A push that flips a check. `due`, `sent_at` and `answered_at` in epoch ms; no `answered_at` if it was not accepted.
 */
export type Flip = { check: string; due: number; sent_at: number; answered_at?: number };

/** Requests of the victim, and how the API responded. */
export type Load = {
  from: number;
  until: number;
  flips: Flip[];
  /** Time (ms) from the due time of each GET to its end. */
  gets: number[];
  /** Calls without the expected response, one sentence each. */
  refused: string[];
};

const FLIP_MS = 1000;
const GET_MS = 200;

/**
 * Sends the victim's calls for some time: flips each push check once a second, each after the response to the previous
 * push, and reads the status of the tenant five times a second, without waiting for responses.
 * @param isAlive whether the service is alive; otherwise the calls end
 */
export async function loadFor(victim: Victim, seconds: number, isAlive: () => boolean): Promise<Load> {
  const from = Date.now();
  const load: Load = { from, until: from + seconds * 1000, flips: [], gets: [], refused: [] };
  const goesOn = () => Date.now() < load.until && isAlive();
  const flippers = victim.flipping.map((check, i) => flip(victim, load, check, (i * FLIP_MS) / 4, goesOn));
  await Promise.all([...flippers, read(victim, load, goesOn)]);
  return load;
}

async function flip({ caller }: Victim, load: Load, check: string, offset: number, goesOn: () => boolean) {
  let isUp = true;
  for (let due = load.from + offset; due < load.until && goesOn(); due += FLIP_MS) {
    await pause(Math.max(0, due - Date.now()));
    const one: Flip = { check, due, sent_at: Date.now() };
    load.flips.push(one);
    try {
      const { status } = await caller.send('POST', `/v1/checks/${check}/results`, push(!isUp));
      if (status !== 201) load.refused.push(`a push returned ${status}`);
      else {
        one.answered_at = Date.now();
        isUp = !isUp;
      }
    } catch (error) {
      load.refused.push(`a push got no response: ${reason(error)}`);
    }
  }
}

async function read({ caller }: Victim, load: Load, goesOn: () => boolean) {
  const pending: Promise<void>[] = [];
  const get = async (due: number) => {
    try {
      const { status } = await caller.send('GET', '/v1/status');
      if (status !== 200) load.refused.push(`a GET returned ${status}`);
    } catch (error) {
      load.refused.push(`a GET got no response: ${reason(error)}`);
    }
    load.gets.push(Date.now() - due);
  };
  for (let due = load.from; goesOn(); due += GET_MS) {
    await pause(Math.max(0, due - Date.now()));
    pending.push(get(due));
  }
  await Promise.all(pending);
}

const reason = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
};
