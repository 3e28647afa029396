import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { UNRESTRICTED } from '#lib/access/restriction.ts';
import { explainCheck } from '#lib/alerting/explain/explain.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { findGaps } from '#lib/history/results/gaps.ts';
import { resultList } from '#lib/history/results/list-results.ts';
import type { Shown } from '#test/oracle/inside.ts';

/** Results per page; small, so that a history takes several pages. */
const PAGE = 50;

/** Times at which explanations are read, as fractions of a check's life. */
const MOMENTS = [0.35, 0.7, 1];

/** Returns the data of a check as the API returns it: all results, page by page, its gaps, and explanations. */
export async function shownOf(env: Env, check: CheckItem): Promise<Shown> {
  const { ports, keys } = env;
  const account = await ports.table.get<AccountItem>(keys.account(check.tenant_id));
  const context = {
    ...env,
    tenant: check.tenant_id,
    caller: { ...account, is_read_only: false, scopes: null, ...UNRESTRICTED },
  } as unknown as Context;
  const read = await resultList(context, check, {});
  const results: Shown['results'] = [];
  let after: string | undefined;
  do {
    const { found, next } = await read(after, PAGE);
    results.push(...found.map(({ value }) => value));
    after = next;
  } while (after !== undefined);
  const window = { from: Date.parse(check.created_at), until: ports.clock.now() };
  const { gaps } = await findGaps(context, check, window, { gaps: Number.POSITIVE_INFINITY });
  const explained: Shown['explained'] = [];
  for (const share of MOMENTS) {
    const at = Math.floor(window.from + share * (window.until - window.from));
    const { verdict, sentence, transition } = await explainCheck(context, check, at);
    explained.push({ at, verdict, sentence, transition_id: transition?.transition_id });
  }
  return { results, gaps, explained };
}
