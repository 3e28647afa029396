import { useLoad } from '#console/api/load.ts';
import type { Action, Execution } from '#console/api/records.ts';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Time } from '#console/parts/time.tsx';
import { outcome } from '#console/rules/executions.ts';
import { canStart } from '#console/rules/triggers.ts';

export function LastExecution({ action }: { action: Action }) {
  const { data, failure } = useLoad<Execution[]>(`/v1/actions/${action.id}/executions?limit=1`, {
    about: ({ check_id }) => canStart(action, check_id),
  });
  if (!data) return <span class="hint">{failure ? failure.message : '…'}</span>;
  const [last] = data;
  if (!last) return <span class="hint">never</span>;
  return (
    <a class="last-run" href={`#/executions/${last.id}`}>
      <StateMark {...outcome(last)} />
      <Time at={last.created_at} />
    </a>
  );
}
