import type { CheckDetail } from '#console/api/records.ts';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { Section } from '#console/parts/page.tsx';
import { pushSnippets } from '#console/rules/push-snippets.ts';
import { duration } from '#console/rules/time.ts';

/** How a job of one's own reports to a push check, and what its silence means. */
export function Report({ check }: { check: CheckDetail }) {
  const { schedule } = check.config as { schedule?: string };
  const { heartbeat, crontab, result } = pushSnippets(location.origin, check.id, check.interval_seconds, schedule);
  const after = check.alerts_after_seconds;
  return (
    <Section title="How to report">
      <div class="report">
        {typeof after === 'number' && (
          <p>
            {check.last_result ? 'It is down after' : 'From the first report on, it is down after'}{' '}
            <strong>{duration(after * 1000)}</strong> without one ({after} s).
          </p>
        )}
        <CodeBlock label="A sign of life" text={heartbeat} />
        <CodeBlock label="In a crontab, when the job succeeded" text={crontab} />
        <CodeBlock label="A result, also of a failure" text={result} />
        <p class="hint">
          FLEETWATCH_KEY is an API key with the scope push; <a href="#/settings/keys">make one</a>.
        </p>
      </div>
    </Section>
  );
}
