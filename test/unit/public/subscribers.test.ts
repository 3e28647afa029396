import { describe, expect, it } from 'vitest';
import { changePage, createPage, deletePage } from '#lib/public/pages/change-page.ts';
import { NewStatusPage } from '#lib/public/pages/status-page.ts';
import { addSubscriber, NewSubscriber } from '#lib/public/pages/subscribers.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const SUBSCRIBER = NewSubscriber.parse({ channel_type: 'webhook', config: { url: 'https://hooks.example.com/acme' } });

/** Creates a page. `beforeWrite(n, work)` runs `work` just before the n-th transaction that follows, counted from 0. */
async function pageWith(more: object = {}) {
  let left = 0;
  let step: (() => Promise<unknown>) | undefined;
  const world = memoryWorld((table) => ({
    ...table,
    transact: async (writes) => {
      if (step && left-- === 0) {
        const work = step;
        step = undefined;
        await work();
      }
      return table.transact(writes);
    },
  }));
  const { context } = await world.account();
  const page = await createPage(context, NewStatusPage.parse({ slug: 'acme', title: 'Acme', ...more }));
  return {
    ...world,
    context,
    page,
    beforeWrite: (n: number, work: () => Promise<unknown>) => {
      left = n;
      step = work;
    },
    stored: () => (world.store.store.db.prepare('SELECT sk FROM items').all() as { sk: string }[]).map(({ sk }) => sk),
  };
}

describe('a subscriber that is added while its page changes', () => {
  it.each([0, 1, 2])('is refused or deleted with the page, if added before write %i of the deletion', async (n) => {
    const { context, page, beforeWrite, stored } = await pageWith();
    await addSubscriber(context, page.id, SUBSCRIBER);
    let added: Promise<unknown> | undefined;
    beforeWrite(n, () => {
      added = addSubscriber(context, page.id, SUBSCRIBER);
      return added;
    });
    await deletePage(context, page.id);
    await (added ?? expect(addSubscriber(context, page.id, SUBSCRIBER)).rejects.toMatchObject({ code: 'NOT_FOUND' }));
    expect(stored().filter((sk) => sk.startsWith('SUB#'))).toEqual([]);
  });

  it('is refused if the page is deleted before the write of the subscriber', async () => {
    const { context, page, beforeWrite, stored } = await pageWith();
    beforeWrite(0, () => deletePage(context, page.id));
    await expect(addSubscriber(context, page.id, SUBSCRIBER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(stored().filter((sk) => sk.startsWith('SUB#'))).toEqual([]);
  });

  it('does not undo the change, and is refused with a component that the page no longer has', async () => {
    const groups = [{ components: [{ name: 'Checkout' }] }];
    const { context, page, beforeWrite } = await pageWith({ groups });
    beforeWrite(0, () => changePage(context, page.id, { title: 'Changed', groups: [] }));
    const component_ids = [page.groups[0]!.components[0]!.id];
    await expect(addSubscriber(context, page.id, { ...SUBSCRIBER, component_ids })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect((await changePage(context, page.id, {})).title).toBe('Changed');
  });
});
