import { useState } from 'preact/hooks';
import { channelsOf, labelOf, targetOfCheck, typeTitle } from '#console/api/check-names.ts';
import { useEvery } from '#console/api/every.ts';
import { useFeed } from '#console/api/feed.ts';
import { type Loaded, useLoad } from '#console/api/load.ts';
import type { CheckDetail, CheckRun, Policy, Result } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { Badges } from '#console/parts/badges.tsx';
import { ErrorKind } from '#console/parts/error-kind.tsx';
import { Page } from '#console/parts/page.tsx';
import { Slos } from '#console/parts/slos.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { progressTexts } from '#console/rules/check-counts.ts';
import { intervalText } from '#console/rules/interval-schedule.ts';
import { messageOf, OUTCOME } from '#console/rules/states.ts';
import { duration } from '#console/rules/time.ts';
import { count } from '#console/rules/words.ts';
import { Acknowledged } from './acknowledge.tsx';
import { CheckActions } from './check-actions.tsx';
import { ExplainAt } from './explain-at.tsx';
import { CheckFacts } from './facts.tsx';
import { Latency } from './latency.tsx';
import { PingUrl } from './ping-url.tsx';
import { Pings } from './pings.tsx';
import { PolicySection } from './policy.tsx';
import { Results } from './results.tsx';
import { Transitions } from './transitions.tsx';

/** Page of a check: state, latency, transitions, results, policy, and settings. */
export default function CheckPage({ params, query }: PageProps) {
  const id = params.id!;
  const path = `/v1/checks/${encodeURIComponent(id)}`;
  const check = useLoad<CheckDetail>(path, { about: ({ check_id }) => check_id === id });
  const policy = useLoad<Policy>(`${path}/policy`, { about: ({ check_id }) => check_id === id });
  if (check.failure?.status === 404) {
    return (
      <Page title="Check">
        <Empty title="Check not found" icon="checks">
          <p>It was deleted, or the address is wrong.</p>
          <a href="#/checks">All checks</a>
        </Empty>
      </Page>
    );
  }
  if (!check.data) {
    return (
      <Page title="Check">
        {check.failure ? (
          <Failure failure={check.failure} retry={check.reload} />
        ) : (
          <Loading what="Loading the check" lines={8} />
        )}
      </Page>
    );
  }
  return <CheckView loaded={check} check={check.data} policy={policy} query={query} />;
}

type ViewProps = { loaded: Loaded<CheckDetail>; check: CheckDetail; policy: Loaded<Policy>; query: URLSearchParams };

/** Number of results per page. They are refreshed automatically only until more pages are loaded. */
const RESULTS_PER_PAGE = 10;
const MIN_POLL_MS = 15_000;

function CheckView({ loaded, check, policy, query }: ViewProps) {
  const results = useFeed<Result>(`/v1/checks/${check.id}/results?limit=${RESULTS_PER_PAGE}`, 'results');
  const isPush = check.execution_mode === 'push';
  const isWaitingForFirst = check.waiting_for_first === true;
  const [run, setRun] = useState<CheckRun | undefined>(undefined);
  const [refresh, setRefresh] = useState(0);
  function reload() {
    loaded.reload();
    if (results.items.length <= RESULTS_PER_PAGE) results.reload();
    setRefresh((n) => n + 1);
  }
  useEvery(Math.max(MIN_POLL_MS, check.interval_seconds * 1000), reload);
  return (
    <Page
      title={<span dir="auto">{labelOf(check)}</span>}
      above={<Above check={check} />}
      actions={
        <CheckActions
          check={check}
          policy={policy}
          onChange={(found) => {
            setRun(found);
            reload();
          }}
        />
      }
    >
      {loaded.failure && <Failure failure={loaded.failure} retry={loaded.reload} />}
      <Acknowledged check={check} />
      <CheckStatusLine check={check} silenced={policy.data?.silenced ?? false} />
      {run && <ManualRun run={run} />}
      <div class="check-page">
        <div>
          {isWaitingForFirst ? (
            <PingUrl check={check} onChange={reload} />
          ) : (
            <Latency check={check} query={query} refresh={refresh} />
          )}
          <Transitions id={check.id} channels={policy.data && channelsOf(policy.data)} />
          <Results feed={results} />
          {isPush && <Pings id={check.id} refresh={refresh} />}
        </div>
        <div>
          <PolicySection id={check.id} policy={policy} />
          <ExplainAt id={check.id} />
          {isPush && !isWaitingForFirst && <PingUrl check={check} onChange={reload} />}
          <Slos of={{ check_id: check.id }} />
          <Badges of={{ check_id: check.id }} name={labelOf(check)} />
          <CheckFacts check={check} />
        </div>
      </div>
    </Page>
  );
}

function Above({ check }: { check: CheckDetail }) {
  const entity = live.fleet.value?.get(check.entity_id);
  return (
    <>
      <a href="#/checks">Checks</a>
      {entity && (
        <>
          {' / '}
          <a
            dir="auto"
            href={`#${pathTo('/entities/:blueprint/:slug', { blueprint: entity.blueprint_slug, slug: entity.slug })}`}
          >
            {entity.name}
          </a>
        </>
      )}
    </>
  );
}

const CheckStatusLine = ({ check, silenced }: { check: CheckDetail; silenced: boolean }) => {
  const { state, state_since, enabled, failure_threshold, recovery_threshold, last_result: last } = check;
  const retry = Number(check.retry_interval_seconds ?? 0);
  const schedule = `${typeTitle(check.check_type)} ${intervalText(check)}`;
  const target = check.name === null ? '' : targetOfCheck(check);
  return (
    <div class="check-status">
      <p>
        <StateMark state={state} {...(!enabled && { word: 'Disabled' })} />{' '}
        <span>
          for <Time at={state_since} as="for" />
        </span>
        {silenced && <span class="tag">silenced</span>}
        {check.stale && enabled && <span class="tag">a result is overdue</span>}
        {check.late && <span class="tag">late</span>}
        {check.waiting_for_first && enabled && <span class="tag">waiting for the first heartbeat</span>}
        {check.flapping_since && <span class="tag">flapping</span>}
        {progressTexts(check).map((text) => (
          <span key={text} class="tag">
            {text}
          </span>
        ))}
      </p>
      <p class="hint">
        {schedule}, down after {count(failure_threshold, 'failure')}
        {recovery_threshold > 1 && `, up after ${count(recovery_threshold, 'success', 'successes')}`}
        {retry > 0 && ` (retries every ${duration(retry * 1000)})`}
        {target && (
          <>
            {', '}
            <span dir="auto" class="target">
              {target}
            </span>
          </>
        )}
        {last && (
          <>
            , last checked <Time at={last.checked_at} />
          </>
        )}
      </p>
      {check.execution_mode === 'push' && <HeartbeatStatus check={check} />}
      {last && enabled && messageOf(last) && (
        <p class="alert-error" dir="auto">
          <ErrorKind kind={last.error_kind} />
          {messageOf(last)}
        </p>
      )}
    </div>
  );
};

const HeartbeatStatus = ({ check: { runs = [], next_due_at, alerts_at } }: { check: CheckDetail }) => {
  const facts = [
    ...runs.map(({ started_at, overrun }) => (
      <>
        {overrun ? 'not finished in time since' : 'running since'} <Time at={started_at} />
      </>
    )),
    ...(next_due_at
      ? [
          <>
            next due <Time at={next_due_at} />
          </>,
        ]
      : []),
    ...(alerts_at
      ? [
          <>
            down <Time at={alerts_at} /> without a heartbeat
          </>,
        ]
      : []),
  ];
  if (facts.length === 0) return null;
  return <p class="hint">{facts.flatMap((fact, i) => (i === 0 ? [fact] : [', ', fact]))}</p>;
};

const ManualRun = ({ run }: { run: CheckRun }) => (
  <p class="ran" role="status">
    Manual run: <StateMark {...OUTCOME[run.outcome]} /> after {run.latency_ms} ms
    {messageOf(run) && `: ${messageOf(run)}`}
  </p>
);
