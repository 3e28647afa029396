import { setTimeout as pause } from 'node:timers/promises';
import { Tally } from '#test/abuse/attack.ts';
import { type Caller, push } from '#test/abuse/client.ts';

/** Flips the state of a push check every `everyMs` ms, until a time (epoch ms). @returns the statuses of the pushes */
export async function flipUntil(caller: Caller, check: string, everyMs: number, until: number): Promise<Tally> {
  const responses = new Tally();
  let isUp = true;
  for (let due = Date.now(); Math.max(due, Date.now()) < until; due += everyMs) {
    await pause(Math.max(0, due - Date.now()));
    try {
      const { status } = await caller.send('POST', `/v1/checks/${check}/results`, push(!isUp));
      responses.add(status);
      if (status === 201) isUp = !isUp;
    } catch {
      responses.add('none');
    }
  }
  return responses;
}
