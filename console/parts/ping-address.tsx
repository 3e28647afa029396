import type { Check } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { pingSnippets } from '#console/rules/push-snippets.ts';

/** Where the job of a push check pings, and how, for who may see it. */
export function PingAddress({ check }: { check: Check }) {
  const { ping_url: url = '' } = check as { ping_url?: string };
  const { schedule } = check.config as { schedule?: string };
  const { crontab, start } = pingSnippets(url, check.interval_seconds, schedule);
  if (refusal('write') !== undefined) {
    return <p class="hint">Its job pings a URL that is not shown to you: whoever knows it can ping.</p>;
  }
  return (
    <>
      <CodeBlock label="Ping URL" text={url} />
      <CodeBlock label="In a crontab, with the exit code" text={crontab} />
      <CodeBlock label="When a run begins, so that it is measured" text={start} />
      <p class="hint">
        Whoever knows the URL can ping. It takes /start, /fail, /log and exit statuses, as Healthchecks does; many jobs
        can share a <a href="#/settings/ping-keys">ping key</a>.
      </p>
    </>
  );
}
