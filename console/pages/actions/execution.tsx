import { useLoad } from '#console/api/load.ts';
import type { Action, Execution } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { Button } from '#console/parts/button.tsx';
import { Page, Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Failure, Loading } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { dispatchMark, outcome, pipelineMark, updateHint, verdictMark } from '#console/rules/executions.ts';
import { STARTED_BY } from '#console/rules/triggers.ts';
import { number } from '#console/rules/words.ts';
import { Log } from './log.tsx';
import { useExecution } from './use-execution.ts';

export default function ExecutionPage({ params }: PageProps) {
  const follower = useExecution(params.id!);
  const execution = follower.execution.value;
  const failure = follower.failure.value;
  const isFollowing = follower.isFollowing.value;
  const action = useLoad<Action>(execution ? `/v1/actions/${execution.action_id}` : null);
  const problem = failure && <Failure failure={failure} retry={follower.poll} />;
  if (!execution) return <Page title="Execution">{problem ?? <Loading what="Loading the execution" lines={6} />}</Page>;
  return (
    <Page
      title={`Execution of ${action.data?.name ?? execution.action_id}`}
      above={
        <>
          <a href="#/actions">Actions</a> /{' '}
          <a href={`#/actions/${execution.action_id}`}>{action.data?.name ?? 'Action'}</a>
        </>
      }
      actions={
        !isFollowing && (
          <Button small icon="reload" onClick={follower.poll}>
            Reload
          </Button>
        )
      }
    >
      {problem}
      <p class="run-state" role="status">
        <StateMark {...outcome(execution)} />
        {isFollowing && <span class="hint">{updateHint(execution)}</span>}
      </p>
      <ExecutionDetails execution={execution} />
      <Log lines={follower.lines.value} expectsMore={isFollowing} />
    </Page>
  );
}

function ExecutionDetails({ execution }: { execution: Execution }) {
  const pipeline = pipelineMark(execution);
  const verdict = verdictMark(execution);
  const { trigger, created_at, finished_at, status_code, latency_ms, error_message, response_snippet } = execution;
  return (
    <Section title="Details">
      <dl class="action-facts">
        <dt>Request</dt>
        <dd>
          <StateMark {...dispatchMark(execution)} />
        </dd>
        <dt>Pipeline</dt>
        <dd>{pipeline ? <StateMark {...pipeline} /> : <span class="hint">no reports</span>}</dd>
        {execution.attempt !== null && (
          <>
            <dt>Attempt</dt>
            <dd>
              {execution.attempt} {verdict ? <StateMark {...verdict} /> : <span class="hint">not verified yet</span>}
            </dd>
          </>
        )}
        <dt>Started</dt>
        <dd>
          <Time at={created_at} as="full" /> {STARTED_BY[trigger]}
        </dd>
        <dt>Response</dt>
        <dd>
          {finished_at === null
            ? 'pending'
            : `${status_code === 0 ? 'none' : status_code}, after ${number(latency_ms)} ms`}
        </dd>
        {error_message && (
          <>
            <dt>Error</dt>
            <dd class="whole">{error_message}</dd>
          </>
        )}
      </dl>
      {response_snippet && (
        <details class="snippet" open={!pipeline}>
          <summary>Response body</summary>
          <pre class="whole" dir="auto">
            {response_snippet}
          </pre>
        </details>
      )}
    </Section>
  );
}
