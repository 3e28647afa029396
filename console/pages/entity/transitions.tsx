import { labelOf } from '#console/api/check-names.ts';
import { useLiveFeed } from '#console/api/live-feed.ts';
import { reasons } from '#console/api/reasons.ts';
import type { Entity, ListedCheck, Transition } from '#console/api/records.ts';
import { Button } from '#console/parts/button.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { alertReason, CAUSE } from '#console/rules/alert-reason.ts';
import { STATE_WORD } from '#console/rules/states.ts';

const reasonOf = ({ error_message, cause }: Transition): string => error_message || CAUSE[cause];

function Change({ of }: { of: Transition }) {
  const [from, to] =
    of.from_state === of.to_state ? [of.check_from_state, of.check_to_state] : [of.from_state, of.to_state];
  return <StateMark state={to} word={`${STATE_WORD[from]} → ${STATE_WORD[to]}`} />;
}

/** Lists the state changes of an entity, newest first, each with its alert decision. */
export function Transitions({ entity, checks }: { entity: Entity; checks: readonly ListedCheck[] }) {
  const feed = useLiveFeed<Transition>(
    `/v1/status/transitions?entity_id=${encodeURIComponent(entity.id)}&limit=20`,
    ({ entity_id }) => entity_id === entity.id,
  );
  const names = new Map(checks.map((check) => [check.id, labelOf(check)]));
  if (feed.items.length === 0) {
    if (feed.failure) return <Failure failure={feed.failure} retry={feed.reload} />;
    return feed.loading ? <Loading /> : <Empty help="transitions" title="No state changes yet" />;
  }
  return (
    <>
      <ol class="happened">
        {feed.items.map((one) => (
          <li key={one.id}>
            <Change of={one} />
            <Time at={one.timestamp} />
            {names.has(one.check_id) ? (
              <a href={`#${pathTo('/checks/:id', { id: one.check_id })}`} dir="auto">
                {names.get(one.check_id)}
              </a>
            ) : (
              <span class="hint">deleted check</span>
            )}
            {reasonOf(one) && <p dir="auto">{reasonOf(one)}</p>}
            <p>{alertReason(one, reasons).text}</p>
          </li>
        ))}
      </ol>
      {feed.failure && <Failure failure={feed.failure} retry={feed.reload} />}
      {feed.hasMore && (
        <Button small busy={feed.loading} onClick={feed.more}>
          Show older changes
        </Button>
      )}
    </>
  );
}
