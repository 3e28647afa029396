import { setTimeout as pause } from 'node:timers/promises';
import { Tally } from '#test/abuse/attack.ts';
import { type Caller, push } from '#test/abuse/client.ts';

/** Turns a push check round every so many ms. @returns how the pushes were answered */
export async function flipUntil(caller: Caller, check: string, everyMs: number, until: number): Promise<Tally> {
  const answers = new Tally();
  let isUp = true;
  for (let due = Date.now(); due < until; due += everyMs) {
    await pause(Math.max(0, due - Date.now()));
    try {
      const { status } = await caller.ask('POST', `/v1/checks/${check}/results`, push(!isUp));
      answers.add(status);
      if (status === 201) isUp = !isUp;
    } catch {
      answers.add('none');
    }
  }
  return answers;
}
