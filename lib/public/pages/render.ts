import type { AccountItem } from '#lib/access/account.ts';
import type { Env } from '#lib/env.ts';
import type { PublicFile } from '#lib/platform/ports.ts';
import { linksAddress, type Settings } from '#lib/settings.ts';
import { atomFeed, maintenanceCalendar } from './feeds.ts';
import { historyHtml, statusHtml } from './html.ts';
import { readView } from './read-view.ts';
import { foldersOf, isDomain, type StatusLogoItem, type StatusPageItem } from './status-page.ts';
import type { NoticeView, PublishedView } from './view.ts';

export const STATUS_PATH = 'status';

const FEED_FILE = 'feed.atom';
const CALENDAR_FILE = 'maintenance.ics';

const HTML = 'text/html; charset=utf-8';

type ShownPage = { page: StatusPageItem; account: AccountItem };

/** Returns the address of a page, without a final slash: the domain of a public page, if set; undefined for a draft. */
export function urlOf(page: StatusPageItem, settings: Settings): string | undefined {
  const folder = foldersOf(page).at(-1);
  if (folder === undefined) return undefined;
  return isDomain(folder) ? `https://${folder}` : `${linksAddress(settings)}/${STATUS_PATH}/${folder}`;
}

/** Renders the files of a page now. `notices`: news of the last day. `next_at` (epoch ms): as for `readView`. */
export async function renderFiles(
  env: Env,
  { page, account }: ShownPage,
): Promise<{ files: Map<string, PublicFile>; url: string; notices: NoticeView[]; next_at: number }> {
  const { view, next_at } = await readView(env, page, account);
  const logo = await logoOf(env, page);
  const url = urlOf(page, env.ports.settings) ?? '';
  const files = new Map(foldersOf(page).flatMap((name) => pageFiles(view, { name, logo, url })));
  return { files, url, notices: view.notices, next_at };
}

/** Reads the logo of a page; undefined without one. */
export const logoOf = async ({ ports, keys }: Env, { tenant_id, id, logo }: StatusPageItem) =>
  logo === undefined ? undefined : ports.table.get<StatusLogoItem>(keys.statusLogo(tenant_id, id));

/**
 * Returns the files of a page by path, without a leading slash, for any web server: a page is `index.html` of its
 * folder. `name`: folder; that of a domain is the root of its host. `url`: absolute address, for feeds. Pure.
 */
function pageFiles(
  published: PublishedView,
  { name, logo, url }: { name: string; logo: StatusLogoItem | undefined; url: string },
): [string, PublicFile][] {
  const folder = `${STATUS_PATH}/${name}`;
  const base = isDomain(name) ? '' : `/${folder}`;
  const json = isDomain(name) ? '/index.json' : '.json';
  const addresses = { base, json: `${base}${json}`, logo: logo && `${base}/${logo.name}` };
  const text = (content: string, type: string): PublicFile => ({ bytes: Buffer.from(content), type });
  return [
    [`${folder}/index.html`, text(statusHtml(published, addresses), HTML)],
    [`${folder}${json}`, text(JSON.stringify(published.view), 'application/json; charset=utf-8')],
    [`${folder}/history/index.html`, text(historyHtml(published, addresses), HTML)],
    [`${folder}/${FEED_FILE}`, text(atomFeed(published, url), 'application/atom+xml; charset=utf-8')],
    [`${folder}/${CALENDAR_FILE}`, text(maintenanceCalendar(published), 'text/calendar; charset=utf-8')],
    ...(logo
      ? [
          [`${folder}/${logo.name}`, { bytes: Buffer.from(logo.data, 'base64'), type: logo.type }] as [
            string,
            PublicFile,
          ],
        ]
      : []),
  ];
}
