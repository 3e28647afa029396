import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Empty } from '#console/parts/states.tsx';
import generated from '#generated/catalog-ops.json' with { type: 'json' };

/** The skill catalog-ops: the built-in tools that most agents need (docs/catalog-ops.json). */
const catalogOps = generated as { name: string; tools: readonly unknown[] };

/** Empty state of the skills, with a button that enables the built-in tools. */
export function NoSkills({ onDone }: { onDone: () => void }) {
  const [busy, setBusy] = useState(false);
  async function register() {
    setBusy(true);
    try {
      await call('POST', '/v1/skills', catalogOps);
      showToast(`${catalogOps.name} is enabled: agents find ${catalogOps.tools.length} tools.`);
      onDone();
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Empty help="skills" title="No skills yet" icon="agents">
      <p>
        The skill {catalogOps.name} has {catalogOps.tools.length} built-in tools, which read the catalog, states and
        history, and create checks.
      </p>
      <Button kind="main" busy={busy} why={refusal('write')} onClick={() => void register()}>
        Enable built-in tools
      </Button>
    </Empty>
  );
}
