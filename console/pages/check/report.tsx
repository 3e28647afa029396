import { useState } from 'preact/hooks';
import type { CheckDetail } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { Section } from '#console/parts/page.tsx';
import { pingSnippets } from '#console/rules/push-snippets.ts';
import { duration } from '#console/rules/time.ts';
import { RotatePingUrl } from './rotate-ping-url.tsx';

/** Where the job of a push check pings, and what its silence means. */
export function Report({ check, onChange }: { check: CheckDetail; onChange: () => void }) {
  const [rotating, rotate] = useState(false);
  const why = refusal('write');
  const { ping_url: url = '', alerts_after_seconds: after } = check;
  const { schedule } = check.config as { schedule?: string };
  const { crontab, start } = pingSnippets(url, check.interval_seconds, schedule);
  return (
    <Section
      title="How to report"
      actions={
        <Button small why={why} onClick={() => rotate(true)}>
          Another URL…
        </Button>
      }
    >
      <div class="report">
        {typeof after === 'number' && (
          <p>
            {check.last_result ? 'It is down after' : 'From the first report on, it is down after'}{' '}
            <strong>{duration(after * 1000)}</strong> without one ({after} s).
          </p>
        )}
        {why === undefined ? (
          <>
            <CodeBlock label="Ping URL" text={url} />
            <CodeBlock label="In a crontab, with the exit code" text={crontab} />
            <CodeBlock label="When a run begins, so that it is measured" text={start} />
            <p class="hint">
              Whoever knows the URL can ping. It takes /start, /fail, /log and exit statuses, as Healthchecks does; many
              jobs can share a <a href="#/settings/ping-keys">ping key</a>.
            </p>
          </>
        ) : (
          <p class="hint">Its job pings a URL that is not shown to you: whoever knows it can ping.</p>
        )}
      </div>
      {rotating && <RotatePingUrl check={check} onDone={onChange} onClose={() => rotate(false)} />}
    </Section>
  );
}
