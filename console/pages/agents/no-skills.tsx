import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Empty } from '#console/parts/states.tsx';
import generated from '#generated/catalog-ops.json' with { type: 'json' };

/** The manifest of the built-in tools (docs/catalog-ops.json). */
const catalogOps = generated as { name: string; tools: readonly unknown[] };

/** What stands in place of the skills while there are none: the built-in tools are a press away. */
export function NoSkills({ onDone }: { onDone: () => void }) {
  const [busy, setBusy] = useState(false);
  async function register() {
    setBusy(true);
    try {
      await call('POST', '/v1/skills', catalogOps);
      showToast(`${catalogOps.name} is on: agents find ${catalogOps.tools.length} tools.`);
      onDone();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Empty title="Agents find no tools yet" icon="agents">
      <p>The built-in ones read what is monitored, what went wrong and when, and register checks.</p>
      <Button kind="main" busy={busy} why={refusal('write')} onClick={() => void register()}>
        Turn on the built-in tools
      </Button>
    </Empty>
  );
}
