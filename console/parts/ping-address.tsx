import type { Check } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { CodeBlock } from '#console/parts/copy-button.tsx';
import { pingSnippets } from '#console/rules/push-snippets.ts';

/** Shows the ping URL of a push check with examples, if the user can see it. */
export function PingAddress({ check }: { check: Check }) {
  const { ping_url: url = '' } = check as { ping_url?: string };
  const { schedule } = check.config as { schedule?: string };
  const { crontab, start } = pingSnippets(url, check.interval_seconds, schedule);
  if (refusal('write') !== undefined) {
    return <p class="hint">You cannot see the ping URL, because anyone who knows it can ping.</p>;
  }
  return (
    <>
      <CodeBlock label="Ping URL" text={url} />
      <CodeBlock label="Crontab entry with exit status" text={crontab} />
      <CodeBlock label="Start ping, to measure the duration" text={start} />
      <p class="hint">
        Anyone who knows the URL can ping. It accepts /start, /fail, /log and exit statuses, like Healthchecks. Many
        jobs can share a <a href="#/settings/ping-keys">ping key</a>.
      </p>
    </>
  );
}
