import { setTimeout as pause } from 'node:timers/promises';
import { push } from './client.ts';
import type { Victim } from './victim.ts';

/**
 * A push that turns a check round. `due`, `sent_at` and `answered_at` in epoch ms; not answered when it was refused.
 */
export type Flip = { check: string; due: number; sent_at: number; answered_at?: number };

/** What the victim did, and how the API was for it. */
export type Load = {
  from: number;
  until: number;
  flips: Flip[];
  /** How long each GET took, ms. */
  gets: number[];
  /** What was not answered as it should be, one sentence each. */
  refused: string[];
};

const FLIP_MS = 1000;
const GET_MS = 200;

/**
 * The victim's own calls for some time: each push check is turned round once a second, and its status is read five
 * times a second, whether the answer before is there or not.
 * @param isAlive ends it early when it says no
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
      const { status } = await caller.ask('POST', `/v1/checks/${check}/results`, push(!isUp));
      if (status !== 201) load.refused.push(`a push was answered ${status}`);
      else {
        one.answered_at = Date.now();
        isUp = !isUp;
      }
    } catch (error) {
      load.refused.push(`a push was not answered: ${reason(error)}`);
    }
  }
}

async function read({ caller }: Victim, load: Load, goesOn: () => boolean) {
  const asked: Promise<void>[] = [];
  const get = async (due: number) => {
    try {
      const { status } = await caller.ask('GET', '/v1/status');
      if (status !== 200) load.refused.push(`a GET was answered ${status}`);
    } catch (error) {
      load.refused.push(`a GET was not answered: ${reason(error)}`);
    }
    load.gets.push(Date.now() - due);
  };
  for (let due = load.from; goesOn(); due += GET_MS) {
    await pause(Math.max(0, due - Date.now()));
    asked.push(get(due));
  }
  await Promise.all(asked);
}

const reason = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
};
