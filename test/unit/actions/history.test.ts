import { beforeEach, describe, expect, it } from 'vitest';
import { create as createHousekeeper } from '#functions/housekeeper.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import { deleteAction } from '#lib/actions/change-action.ts';
import { executionRecord } from '#lib/actions/execution.ts';
import { cut, report } from '#lib/actions/run/report.ts';
import { runActionManually } from '#lib/actions/run/run.ts';
import { executionList, requireExecution } from '#lib/actions/store.ts';
import { NetError } from '#lib/net/net.ts';
import { queueEvent, TENANT } from '#test/support/alert-world.ts';
import { type ActionWorld, actionWorld } from './action-world.ts';

const DAY = 86_400_000;

let world: ActionWorld;
let action: ActionItem;
beforeEach(async () => {
  world = await actionWorld();
  action = await world.make();
});

const run = () => runActionManually(world.context, action.id, {});
const itemsUnder = async (pk: string) => (await world.table.query({ partition: pk })).items.length;

describe('the history of an action', () => {
  it('returns an execution for exactly 90 days, even if the table has not deleted it yet', async () => {
    const { id } = await run();
    world.pass(90 * DAY - 1);
    expect((await executionList(world.context, action)(undefined, 10)).found).toHaveLength(1);
    expect(await requireExecution(world.context, id)).toMatchObject({ execution: { id } });
    world.pass(2);
    expect((await executionList(world.context, action)(undefined, 10)).found).toEqual([]);
    await expect(requireExecution(world.context, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('hides the URL of an error from a read-only key', async () => {
    world.answer(() => Promise.reject(new NetError('connect', 'no way to https://ci.example.com/t0ken, it says')));
    const execution = await run();
    expect(executionRecord(world.context, execution).error_message).toContain('t0ken');
    expect(executionRecord(world.readOnly, execution).error_message).toBe('no way to ******** it says');
  });

  it('is deleted by the table with its log lines', async () => {
    const { id } = await run();
    await report(world.context, { id, action }, { logs: ['a'] });
    world.pass(91 * DAY);
    expect(await world.table.sweep(world.now() / 1000, 100)).toBe(3);
    expect(await itemsUnder(world.keys.ofExecution(TENANT, id))).toBe(0);
    expect(await itemsUnder(world.keys.runs(TENANT, action.id))).toBe(0);
  });

  it.each([
    ['at once', undefined, 1],
    ['in pieces if each run of the function has no time left', AbortSignal.abort(), 7],
  ])('is reclaimed in the background when the action is deleted, %s', async (_, signal, expected) => {
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) ids.push((await run()).id);
    for (let i = 0; i < 60; i++) await report(world.context, { id: ids[0]!, action }, { logs: ['x'] });
    const otherAction = await world.make();
    const otherRun = await runActionManually(world.context, otherAction.id, {});
    await deleteAction(world.context, action.id);

    const housekeeper = createHousekeeper(world.ports);
    let messages = 0;
    for (let bodies = world.take('housekeeping'); bodies.length > 0; bodies = world.take('housekeeping')) {
      messages += bodies.length;
      expect(await housekeeper(queueEvent(bodies), { ...(signal && { signal }) })).toEqual({ batchItemFailures: [] });
    }
    expect(messages).toBe(expected);
    for (const id of ids) expect(await itemsUnder(world.keys.ofExecution(TENANT, id))).toBe(0);
    expect(await itemsUnder(world.keys.runs(TENANT, action.id))).toBe(0);
    expect(await world.runs(otherAction)).toEqual([otherRun]);
  });

  it('is kept when the action was not deleted', async () => {
    const { id } = await run();
    const body = { tenant_id: TENANT, action_id: action.id };
    expect(await createHousekeeper(world.ports)(queueEvent([body]))).toEqual({ batchItemFailures: [] });
    expect(await itemsUnder(world.keys.ofExecution(TENANT, id))).toBe(1);
  });
});

describe('cut', () => {
  it.each([
    ['', 4, ''],
    ['abcd', 4, 'abcd'],
    ['abcde', 4, 'abcd'],
    ['abcé', 4, 'abc'],
    ['é🚀', 5, 'é'],
    ['\ufeffab', 4, '\ufeffa'],
  ])('truncates %j to at most %i bytes: %j', (line, bytes, kept) => {
    expect(cut(line, bytes)).toBe(kept);
  });
});
