import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { DefaultPolicy, ListedChannel } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { EscalationSteps } from '#console/parts/alerts/escalation.tsx';
import { PolicyForm, PolicyTable } from '#console/parts/alerts/policy-settings.tsx';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';

const PATH = '/v1/notify/policy';

/** Shows the default policy of the account, which applies unless a check overrides it. */
export function Defaults({ channels }: { channels: readonly ListedChannel[] }) {
  const accountChannels = channels.filter((one) => one.scope === 'account');
  const policy = useLoad<DefaultPolicy>(PATH);
  const [editing, edit] = useState(false);
  const why = refusal('write');
  async function resetSetting(name: string) {
    try {
      await call('PUT', PATH, { [name]: null });
      policy.reload();
    } catch (error) {
      showError(error);
    }
  }
  return (
    <Section
      title="Default policy"
      help="policies"
      actions={
        !editing && (
          <Button small why={why} onClick={() => edit(true)}>
            Change defaults
          </Button>
        )
      }
    >
      <p class="hint">
        It applies to all checks. The settings of a check override it. Its escalation steps can notify{' '}
        <a href="#/on-call">on-call rotas</a>.
      </p>
      <Data of={policy} what="Loading the default policy">
        {(found) =>
          editing ? (
            <PolicyForm
              name="default policy"
              policy={found}
              channels={accountChannels}
              submit="Save defaults"
              send={async (body) => {
                await call('PUT', PATH, { ...body, inherited: found.inherited });
                showToast('The defaults are changed.');
                edit(false);
                policy.reload();
              }}
              onCancel={() => edit(false)}
            />
          ) : (
            <>
              <PolicyTable
                policy={found}
                from="the service"
                why={why}
                resetSetting={(name) => void resetSetting(name)}
              />
              {found.escalation.length > 0 && (
                <>
                  <h3>Escalation while unacknowledged</h3>
                  <EscalationSteps steps={found.escalation} channels={accountChannels} />
                </>
              )}
            </>
          )
        }
      </Data>
    </Section>
  );
}
