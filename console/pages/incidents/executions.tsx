import { call } from '#console/api/call.ts';
import { useRead } from '#console/api/load.ts';
import type { Action, Execution } from '#console/api/records.ts';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { outcome } from '#console/rules/executions.ts';

type Started = { execution: Execution; action: Action };

const MAX_SEARCHED = 200;

type ExecutionsProps = { transitions: readonly { id: string; check_id: string }[] };

export function Executions({ transitions }: ExecutionsProps) {
  const wanted = new Set(transitions.map(({ id }) => id));
  const checks = new Set(transitions.map(({ check_id }) => check_id));
  const started = useRead(`${[...wanted]}`, async (signal) => {
    const all = await call<Action[]>('GET', '/v1/actions', undefined, { signal });
    const bound = all.filter(({ check_id }) => check_id !== null && checks.has(check_id));
    const lists = await Promise.all(
      bound.map(async (action): Promise<Started[]> => {
        const path = `/v1/actions/${action.id}/executions?limit=${MAX_SEARCHED}`;
        const executions = await call<Execution[]>('GET', path, undefined, { signal });
        return executions.map((execution) => ({ execution, action }));
      }),
    );
    const found = lists.flat().filter(({ execution }) => wanted.has(execution.transition_id ?? ''));
    return found.toSorted((a, b) => (a.execution.created_at < b.execution.created_at ? -1 : 1));
  });
  return (
    <Section title="Actions">
      <Data of={started} what="Loading the executions">
        {(found) =>
          found.length === 0 ? (
            <p class="hint">No executions for this incident among the newest {MAX_SEARCHED} of each action.</p>
          ) : (
            <ul class="incident-checks">
              {found.map((one) => (
                <ExecutionRow key={one.execution.id} {...one} />
              ))}
            </ul>
          )
        }
      </Data>
    </Section>
  );
}

const ExecutionRow = ({ execution, action }: Started) => (
  <li>
    <StateMark {...outcome(execution)} />
    <a href={`#${pathTo('/executions/:id', { id: execution.id })}`} dir="auto">
      {action.name}
    </a>
    <span class="hint">
      <Time at={execution.created_at} as="full" />
    </span>
    {execution.error_message && <span dir="auto">{execution.error_message}</span>}
  </li>
);
