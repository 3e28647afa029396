import { useEffect, useRef } from 'preact/hooks';
import { useFeed } from '#console/api/feed.ts';
import type { Entity, ListedCheck, Transition } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { Button } from '#console/parts/button.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { STATE_WORD } from '#console/rules/states.ts';
import { count } from '#console/rules/words.ts';

const WHY_NOT: Readonly<Record<NonNullable<Transition['alert']['reason']>, string>> = {
  configuration: 'not announced: somebody changed the check',
  silenced: 'not announced: silenced',
  initial: 'not announced: it came up for the first time',
  recovery_off: 'not announced: recoveries are not',
  cooldown: 'not announced: cooldown',
  no_channels: 'not announced: no channel',
};

const told = ({ alert: { decision, reason, deliveries } }: Transition): string =>
  decision === 'planned' ? `announced to ${count(deliveries.length, 'channel')}` : reason ? WHY_NOT[reason] : '';

/** What changed, newest first. Why somebody was told or not stands whole on the page of the check. */
export function Transitions({ entity, checks }: { entity: Entity; checks: readonly ListedCheck[] }) {
  const feed = useFeed<Transition>(`/v1/status/transitions?entity_id=${encodeURIComponent(entity.id)}&limit=20`);
  const news = live.news.value;
  const known = useRef(news);
  useEffect(() => {
    if (known.current === news) return;
    known.current = news;
    if (news.all || news.transitions.some(({ entity_id }) => entity_id === entity.id)) feed.reload();
  }, [news, entity.id, feed.reload]);
  const names = new Map(checks.map((check) => [check.id, check.name ?? `${check.check_type} check`]));
  if (feed.items.length === 0) {
    if (feed.failure) return <Failure failure={feed.failure} retry={feed.reload} />;
    return feed.loading ? <Loading /> : <Empty title="Nothing has changed yet" />;
  }
  return (
    <>
      <ol class="happened">
        {feed.items.map((one) => (
          <li key={one.id}>
            <StateMark state={one.to_state} word={`${STATE_WORD[one.from_state]} → ${STATE_WORD[one.to_state]}`} />
            <Time at={one.timestamp} />
            <span class="hint">
              {names.has(one.check_id) ? (
                <a href={`#${pathTo('/checks/:id', { id: one.check_id })}`} dir="auto">
                  {names.get(one.check_id)}
                </a>
              ) : (
                'a check that is gone'
              )}
              {' · '}
              {told(one)}
            </span>
            {one.error_message && <p dir="auto">{one.error_message}</p>}
          </li>
        ))}
      </ol>
      {feed.failure && <Failure failure={feed.failure} retry={feed.reload} />}
      {feed.hasMore && (
        <Button small busy={feed.loading} onClick={feed.more}>
          Earlier
        </Button>
      )}
    </>
  );
}
