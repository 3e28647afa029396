import { isDeepStrictEqual } from 'node:util';
import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import type { Env } from '#lib/env.ts';
import { MERGE_MS, type PublishMessage, publishMessage } from '#lib/messages.ts';
import { lazyFunction } from '#lib/platform/lazy.ts';
import type { Item, Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { CLOCK_TOLERANCE_MS, iso, pastOrZero } from '#lib/platform/time.ts';
import { deadlineEntry } from '#lib/schedule/entries.ts';
import { writerSendsUntil } from '#lib/schedule/watermark.ts';
import { allPages } from './ask-to-publish.ts';
import { followAnnounced, removalNotices, stillAnnounced } from './read-maintenance.ts';
import { renderFiles } from './render.ts';
import { foldersOf, type StatusPageItem } from './status-page.ts';
import type { AnnouncedMaintenance, NoticeView } from './view.ts';

/**
 * Publication of a page. `claim`: time until which only one publisher writes its files (epoch ms). `rendered_from`:
 * start of the last finished rendering (epoch ms). `notified`: ids of the news of the last day that subscribers were
 * notified of. `announced`: maintenance that subscribers know; an entry is added, or marked as removed, before they are
 * notified. `paths`: files that can exist; a path is added before its file.
 */
export type PublicationItem = Item & {
  v: string;
  claim?: number;
  rendered_from: number;
  published_at?: string;
  notified?: string[];
  announced?: AnnouncedMaintenance[];
  paths: string[];
};

/**
 * Length of a claim (ms). A publisher stops writing RESERVE_MS before its end, because a write takes less than that. A
 * publisher that was paused during a write detects that it has lost its claim, and requests another rendering.
 */
const CLAIM_MS = 30_000;
const RESERVE_MS = 10_000;

/**
 * Minimum wait (ms) before the next attempt while another publisher has the claim. The wait increases with the age of
 * the claim, so that a message and its duplicates make few attempts until the claim of a crashed publisher ends.
 */
const BUSY_MS = 1_000;
/** Maximum age (ms) of a published page. */
const REFRESH_MS = 5 * 60_000;

/** Publishes a page, or all pages of an account. Repeatable; `signal` aborts it. */
export async function publish(env: Env, message: PublishMessage, signal?: AbortSignal): Promise<void> {
  const { tenant_id, page_id } = message;
  if (page_id !== undefined) return publishPage(env, { ...message, page_id }, signal);
  for (const { id } of await allPages(env, tenant_id)) await publishPage(env, { ...message, page_id: id }, signal);
}

/** Loads on the first call: channels are a large part of the function, and few renderings notify subscribers. */
const notifySubscribers = lazyFunction(async () => (await import('./subscribers.ts')).notifySubscribers);

type PageMessage = PublishMessage & { page_id: string };

async function publishPage(env: Env, message: PageMessage, signal: AbortSignal | undefined): Promise<void> {
  const { ports } = env;
  const { tenant_id } = message;
  const claimed = await claim(env, message);
  if (claimed === 'done') return;
  if (typeof claimed === 'number') {
    await ports.queues.send('publish', [{ body: message, not_before: claimed, group: tenant_id }]);
    return;
  }
  const { isFinished, written } = await publishClaimed(env, message, claimed, signal);
  // A file of this rendering can have replaced a newer one; another rendering replaces it again.
  if (!isFinished) {
    await keepPaths(env, message, written);
    await ports.queues.send('publish', [publishMessage(tenant_id, ports.clock.now(), message.page_id)]);
  }
}

/** Publishes a claimed page. `isFinished`: false if the claim was lost. `written`: paths of written files. */
async function publishClaimed(
  env: Env,
  message: PageMessage,
  claimed: Claimed,
  signal: AbortSignal | undefined,
): Promise<{ isFinished: boolean; written: string[] }> {
  const { ports } = env;
  const from = ports.clock.now();
  const written: string[] = [];
  const lost = { isFinished: false, written };
  const shown = await shownPage(env, message);
  const isClaimed = () => {
    signal?.throwIfAborted();
    return ports.clock.now() <= claimed.claim - RESERVE_MS;
  };
  if (!shown) {
    if (!isClaimed()) return lost;
    await ports.files.remove(claimed.paths);
    return { isFinished: await endClaim(env, message, claimed, undefined), written };
  }
  const { files, url, notices: current, next_at } = await renderFiles(env, shown);
  const paths = [...files.keys()];
  const known = await recordBeforeWriting(env, claimed, {
    paths,
    announced: await announcedBy(env, claimed, message, current),
  });
  if (!known) return lost;
  for (const [path, file] of files) {
    if (!isClaimed()) return lost;
    written.push(path);
    await ports.files.put(path, file);
  }
  if (!isClaimed()) return lost;
  await ports.files.remove(known.paths.filter((path) => !files.has(path)));
  const { announced = [] } = known;
  const notices = [...current, ...removalNotices(shown.page, announced)].filter(
    ({ id }) => !known.notified?.includes(id),
  );
  if (notices.length > 0) await notifySubscribers(env, shown.page, notices, url);
  const notified = current.map(({ id }) => id);
  const published = {
    ...{ ...known, rendered_from: from, published_at: iso(from), paths, notified },
    announced: stillAnnounced(announced, from),
  };
  return { isFinished: await endClaim(env, message, published, Math.min(from + REFRESH_MS, next_at)), written };
}

/**
 * Claims the page and returns the publication. Returns `done` if a recent enough rendering exists, or the time of the
 * next attempt (epoch ms) if another publisher has the claim or the last rendering started less than MERGE_MS ago.
 */
async function claim({ ports, keys }: Env, { tenant_id, page_id, not_older_than }: PageMessage) {
  const key = keys.publication(tenant_id, page_id);
  const v = ports.ids.token();
  return retryOnConflict(ports, async () => {
    const before = await ports.table.get<PublicationItem>(key);
    const now = ports.clock.now();
    if (before?.v !== v) {
      // A time in the future comes from a clock that has been set back.
      const rendered_from = pastOrZero(before?.rendered_from ?? 0, now);
      if (before && rendered_from >= not_older_than - CLOCK_TOLERANCE_MS) return 'done' as const;
      if (before?.claim !== undefined && pastOrZero(before.claim - CLAIM_MS, now) + CLAIM_MS > now)
        return nextAttemptAt(before.claim, not_older_than, now);
      if (rendered_from + MERGE_MS > now) return rendered_from + MERGE_MS;
    }
    const next = { rendered_from: 0, paths: [], ...before, ...key, v, claim: now + CLAIM_MS };
    const outcome = await commit({ table: ports.table }, [
      { put: next, if: before ? { version: before.v } : 'absent' },
    ]);
    return outcome.ok ? next : RETRY;
  });
}

type Claimed = PublicationItem & { claim: number };

/**
 * Returns the time (epoch ms) of the next attempt while another publisher has the claim. The longer the claim has
 * lasted, the later the attempt, up to BUSY_MS after the claim ends. A message waits at least a quarter of its age,
 * because each attempt can duplicate it, so short waits would multiply the messages while renderings keep failing.
 */
function nextAttemptAt(claim: number, not_older_than: number, now: number): number {
  const lasted = now - (claim - CLAIM_MS);
  const next = Math.min(now + Math.max(BUSY_MS, lasted), Math.max(now, claim) + BUSY_MS);
  return Math.max(next, Math.ceil(now + (now - not_older_than) / 4));
}

/** Returns the maintenance that subscribers know after `notices`, with the current times of its windows. */
async function announcedBy(
  env: Env,
  { announced = [] }: Claimed,
  { tenant_id }: PageMessage,
  notices: readonly NoticeView[],
): Promise<AnnouncedMaintenance[]> {
  const windows = announced.length > 0 ? (await readAlerting(env, tenant_id)).windows : [];
  return followAnnounced(announced, windows, notices, env.ports.clock.now());
}

/**
 * Records new paths before their files exist, and announced and removed maintenance before subscribers are notified, so
 * that the next rendering finds them after a crash. Returns undefined if the claim was lost.
 */
async function recordBeforeWriting(
  { ports }: Env,
  claimed: Claimed,
  { paths, announced }: { paths: string[]; announced: AnnouncedMaintenance[] },
): Promise<Claimed | undefined> {
  const all = [...new Set([...claimed.paths, ...paths])];
  if (all.length === claimed.paths.length && isDeepStrictEqual(announced, claimed.announced ?? [])) return claimed;
  const next = { ...claimed, v: ports.ids.token(), paths: all, announced };
  const outcome = await commit(ports, [{ put: next, if: { version: claimed.v } }]);
  return outcome.ok ? next : undefined;
}

/** Records the files written by a publisher that lost its claim, so that the next rendering finds them. */
async function keepPaths({ ports, keys }: Env, { tenant_id, page_id }: PageMessage, written: string[]): Promise<void> {
  const key = keys.publication(tenant_id, page_id);
  await retryOnConflict(ports, async () => {
    const before = await ports.table.get<PublicationItem>(key);
    const paths = [...new Set([...(before?.paths ?? []), ...written])];
    if (paths.length === (before?.paths.length ?? 0)) return true;
    const put = { rendered_from: 0, ...before, ...key, v: ports.ids.token(), paths };
    return (await commit(ports, [{ put, if: before ? { version: before.v } : 'absent' }])).ok ? true : RETRY;
  });
}

/**
 * Ends the claim and schedules the next rendering at `next_at` (epoch ms); without it, deletes the publication.
 * @returns false if the claim was lost
 */
async function endClaim(
  env: Env,
  message: PageMessage,
  published: Claimed,
  next_at: number | undefined,
): Promise<boolean> {
  const { ports, keys } = env;
  const { tenant_id, page_id } = message;
  const { claim: _over, v: version, ...rest } = published;
  const owner = { tenant_id, entity_id: page_id, id: page_id };
  const entry: Write =
    next_at === undefined
      ? { delete: keys.entry('status_page', tenant_id, page_id) }
      : { put: deadlineEntry(keys, 'status_page', owner, ports.ids.token(), next_at) };
  const own: Write =
    next_at === undefined
      ? { delete: keys.publication(tenant_id, page_id), if: { version } }
      : { put: { ...rest, v: ports.ids.token() }, if: { version } };
  if (!(await commit(ports, [own, entry])).ok) return false;
  if (next_at === undefined || next_at > (await writerSendsUntil(env, keys.shardOf(page_id)))) return true;
  const body = { ...message, not_older_than: next_at };
  await ports.queues.send('publish', [{ body, not_before: next_at, group: tenant_id }]);
  return true;
}

/** Returns the page with its account; undefined if visitors cannot see it: draft, deleted, or account disabled. */
async function shownPage({ ports, keys }: Env, { tenant_id, page_id }: PageMessage) {
  const [page, account] = await ports.table.getMany<[StatusPageItem, AccountItem]>([
    keys.statusPage(tenant_id, page_id),
    keys.account(tenant_id),
  ]);
  return page && foldersOf(page).length > 0 && account && !isDisabled(account) ? { page, account } : undefined;
}
