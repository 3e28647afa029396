import * as z from 'zod';
import type { AccountItem } from '#lib/access/account.ts';
import { allPages } from '#lib/public/pages/ask-to-publish.ts';
import { pageRecords } from '#lib/public/pages/page-records.ts';
import { readView } from '#lib/public/pages/read-view.ts';
import { requirePage } from '#lib/public/pages/status-page.ts';
import { defineTool } from './tool.ts';

export const listStatusPages = defineTool({
  description:
    'Public status pages with their settings, address, and components. post_incident_update takes the ids of components.',
  input: z.strictObject({}),
  run: async (context) => ({ pages: await pageRecords(context, await allPages(context, context.tenant)) }),
});

export const getStatusPage = defineTool({
  description:
    'One public status page: its settings, and what visitors see now: states of components, open and recent (14 days) incidents with their updates, and maintenance. Drafts can be read as well.',
  input: z.strictObject({
    status_page_id: z.string().describe('Id of the page, as in list_status_pages'),
  }),
  run: async (context, { status_page_id }) => {
    const page = await requirePage(context, status_page_id);
    const [record] = await pageRecords(context, [page]);
    const account = await context.ports.table.get<AccountItem>(context.keys.account(context.tenant));
    const { view } = await readView(context, page, account!);
    const { page: _settings, groups, ...shown } = view.view;
    // The days of a component are for drawing; get_history returns the figures of a check.
    const components = groups.flatMap(({ components: own }) => own.map(({ days: _days, ...rest }) => rest));
    return { ...record, shown: { ...shown, components } };
  },
});
