import { afterEach, describe, expect, it } from 'vitest';
import { dependencyWorld } from './dependency-world.ts';
import { type VirtualService, virtualService } from './virtual-service.ts';

let running: VirtualService;
afterEach(() => running.close());

/** Returns the down alerts of a receiver with their urgency, in order: `alone high`. */
const downs = (receiver = 'pager.test'): string[] =>
  running.host(receiver).calls.flatMap(({ body }) => {
    const { check_to_state, urgency, entity_name } = JSON.parse(body);
    return check_to_state === 'down' ? [`${entity_name} ${urgency}`] : [];
  });

describe('a destination that was paged five times within five minutes', () => {
  it.each([
    ['one after the other', ['09:40', '09:40:30', '09:41', '09:41:30', '09:42', '09:42:30']],
    ['all at once', ['09:40', '09:40', '09:40', '09:40', '09:40', '09:40']],
  ])('gets later failures with low urgency, if their entities have relations: %s', async (_, times) => {
    running = await virtualService('09:30');
    const { addEntity, depends, fails } = dependencyWorld(running);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const fine = await addEntity('fine');
    for (const name of names) await depends(await addEntity(name), fine);
    await addEntity('late').then((late) => depends(late, fine));
    await addEntity('other', { receiver: 'second.test' }).then((other) => depends(other, fine));
    await addEntity('alone');
    for (const [i, name] of names.entries()) {
      await running.until(times[i]!);
      fails(name);
    }
    await running.until('09:43');
    fails('other', 'alone');
    await running.until('09:44');
    const six = downs().filter((line) => !line.startsWith('alone'));
    expect(six.filter((line) => line.endsWith('high'))).toHaveLength(5);
    expect(six.filter((line) => line.endsWith('low'))).toHaveLength(1);
    // Entities without relations, and other destinations, are not affected.
    expect(downs()).toContain('alone high');
    expect(downs('second.test')).toEqual(['other high']);
    await running.until('09:49');
    fails('late');
    await running.until('09:50');
    expect(downs()).toContain('late high');
  });

  it('counts alerts of entities that have dependents but no dependencies', async () => {
    running = await virtualService('09:30');
    const { addEntity, depends, fails } = dependencyWorld(running);
    const roots = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'];
    for (const name of roots) await depends(await addEntity(`${name}-web`), await addEntity(name));
    await running.until('09:40');
    fails(...roots);
    await running.until('09:42');
    expect(downs().filter((line) => line.endsWith('high'))).toHaveLength(5);
    expect(downs()).toHaveLength(6);
  });
});
