import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { channelsOf, channelTitle } from '#console/api/check-names.ts';
import type { Loaded } from '#console/api/load.ts';
import type { Policy } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { EscalationHint, EscalationSteps } from '#console/parts/alerts/escalation.tsx';
import { PolicyForm, PolicyTable, SETTING_NAMES } from '#console/parts/alerts/policy-settings.tsx';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { duration } from '#console/rules/time.ts';
import { count } from '#console/rules/words.ts';
import { Channels } from './channels.tsx';

type PolicyProps = { id: string; policy: Loaded<Policy> };

export function PolicySection({ id, policy }: PolicyProps) {
  const [editing, edit] = useState(false);
  const path = `/v1/checks/${id}/policy`;
  async function resetSetting(name: string) {
    try {
      await call('POST', path, { [name]: null });
      policy.reload();
    } catch (error) {
      showError(error);
    }
  }
  return (
    <Section
      title="Alerts"
      help="policies"
      actions={
        !editing && (
          <Button small why={refusal('write')} onClick={() => edit(true)}>
            Change policy
          </Button>
        )
      }
    >
      <Data of={policy} what="Loading the policy">
        {(found) => (
          <>
            {editing ? (
              <PolicyForm
                name={`policy ${id}`}
                policy={found}
                channels={channelsOf(found)}
                submit="Save policy"
                send={async (body) => {
                  await call('POST', path, { ...body, inherited: found.inherited });
                  showToast('The policy is changed.');
                  edit(false);
                  policy.reload();
                }}
                onCancel={() => edit(false)}
              />
            ) : (
              <>
                <PolicySummary policy={found} />
                <details>
                  <summary>{inheritedText(found.inherited)}</summary>
                  <PolicyTable
                    policy={found}
                    from="the account"
                    why={refusal('write')}
                    resetSetting={(name) => void resetSetting(name)}
                  />
                </details>
              </>
            )}
            <AccountChannels channels={found.account_channels} escalation={found.escalation} />
            <Channels
              id={id}
              channels={found.channels}
              hasAccountChannels={found.account_channels.length > 0}
              escalation={found.escalation}
              reload={policy.reload}
            />
          </>
        )}
      </Data>
    </Section>
  );
}

function inheritedText(inherited: readonly string[]): string {
  const set = SETTING_NAMES.filter((name) => !inherited.includes(name));
  return set.length === 0
    ? 'All settings are inherited from the account'
    : `${count(set.length, 'setting')} overridden`;
}

const SILENCED = {
  check: 'Silenced: no alerts are sent.',
  entity: 'The entity is silenced: no alerts are sent.',
  account: 'A silence of the account matches: no alerts are sent.',
} as const;

const AccountChannels = ({
  channels,
  escalation,
}: {
  channels: Policy['account_channels'];
  escalation: Policy['escalation'];
}) => (
  <ul class="channels">
    {channels.map(({ id, name, channel_type, why }) => (
      <li key={id}>
        <span>
          {!name.includes(channelTitle(channel_type)) && <strong>{channelTitle(channel_type)} </strong>}
          <a href="#/alerts/channels" dir="auto">
            {name}
          </a>
          <EscalationHint steps={escalation} id={id} />
        </span>
        <span class="hint" dir="auto">
          account channel: {why}
        </span>
      </li>
    ))}
  </ul>
);

const PolicySummary = ({ policy }: { policy: Policy }) => (
  <ul class="policy-summary">
    {policy.silenced_by.map(({ by, id, until, reason }) => (
      <li key={id}>
        <strong>{SILENCED[by]}</strong>
        {until && (
          <>
            {' '}
            Until <Time at={until} as="full" />.
          </>
        )}{' '}
        <span dir="auto">{reason}</span>
      </li>
    ))}
    <li>
      {policy.cooldown_seconds > 0
        ? `At most one alert every ${duration(policy.cooldown_seconds * 1000)}${policy.cooldown_on_recovery ? '' : ', except recoveries'}${policy.late_alerts ? '; unreported failures and states follow in a late alert' : ''}.`
        : 'No cooldown between alerts.'}
    </li>
    <li>{policy.notify_on_recovery ? 'Recoveries send an alert.' : 'Recoveries send no alert.'}</li>
    {!policy.notify_on_degraded && <li>Degraded counts as up and sends no alert.</li>}
    {policy.flap_threshold > 0 && (
      <li>
        {policy.flap_threshold} changes in {duration(policy.flap_window_seconds * 1000)} count as flapping: one alert
        reports it.
      </li>
    )}
    <li>
      {policy.repeat_interval_seconds > 0
        ? `A reminder every ${duration(policy.repeat_interval_seconds * 1000)} while it is down.`
        : 'No reminders.'}
    </li>
    {policy.escalation.length > 0 && (
      <li>
        Escalation while unacknowledged:
        <EscalationSteps steps={policy.escalation} channels={channelsOf(policy)} />
      </li>
    )}
  </ul>
);
