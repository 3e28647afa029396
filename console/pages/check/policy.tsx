import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Loaded } from '#console/api/load.ts';
import type { Policy } from '#console/api/records.ts';
import { tell } from '#console/app/notices.tsx';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import type { MemberSchema } from '#console/rules/form-fields.ts';
import { duration } from '#console/rules/time.ts';
import { Channels } from './channels.tsx';

/** The settings of a policy, as POST /v1/checks/{check_id}/policy takes them. */
const SETTINGS: MemberSchema = {
  type: 'object',
  properties: {
    cooldown_seconds: {
      type: 'integer',
      description: 'After an alert, no other is sent for so many seconds; 0: none is held back.',
      default: 300,
    },
    repeat_interval_seconds: {
      type: 'integer',
      description: 'Seconds between reminders while it is down; 0: none.',
      default: 0,
    },
    notify_on_recovery: { type: 'boolean', description: 'Tells when it is up again.', default: true },
    notify_on_degraded: {
      type: 'boolean',
      description: 'Tells of degraded as well; without it degraded counts as up.',
      default: true,
    },
    catch_up: {
      type: 'boolean',
      title: 'Catch up',
      description: 'Tells the present state once what held an alert back is over.',
      default: true,
    },
    flap_threshold: {
      type: 'integer',
      title: 'Flapping after',
      description: 'So many changes within the time below are told once, as flapping; 0: off, else 3 to 20.',
      default: 0,
    },
    flap_window_seconds: {
      type: 'integer',
      title: 'Flapping within',
      description: 'Seconds in which changes count together.',
      default: 3600,
    },
    silenced: { type: 'boolean', description: 'Holds back all alerts of this check.', default: false },
  },
};

type PolicyProps = { id: string; policy: Loaded<Policy> };

/** Who is told of the check, and when. */
export function PolicySection({ id, policy }: PolicyProps) {
  const [editing, edit] = useState(false);
  return (
    <Section
      title="Alerts"
      actions={
        !editing && (
          <Button small why={refusal('write')} onClick={() => edit(true)}>
            Change policy
          </Button>
        )
      }
    >
      <Data of={policy} what="Reading the policy">
        {(found) => (
          <>
            {editing ? (
              <SchemaForm
                name={`policy ${id}`}
                schema={SETTINGS}
                record={found}
                submit="Save policy"
                send={async (body) => {
                  await call('POST', `/v1/checks/${id}/policy`, body);
                  tell('The policy is changed.');
                  edit(false);
                  policy.reload();
                }}
                onCancel={() => edit(false)}
              />
            ) : (
              <Told policy={found} />
            )}
            <Channels id={id} channels={found.channels} reload={policy.reload} />
          </>
        )}
      </Data>
    </Section>
  );
}

/** The policy in sentences. */
const Told = ({ policy }: { policy: Policy }) => (
  <ul class="told">
    {policy.silenced && (
      <li>
        <strong>Silenced: no alert goes out.</strong>
      </li>
    )}
    <li>
      {policy.cooldown_seconds > 0
        ? `At most one alert in ${duration(policy.cooldown_seconds * 1000)}${policy.catch_up ? '; what was held back is told then' : ''}.`
        : 'Every change is told at once.'}
    </li>
    <li>{policy.notify_on_recovery ? 'Recoveries are told.' : 'Recoveries are not told.'}</li>
    {!policy.notify_on_degraded && <li>Degraded is not told; it counts as up.</li>}
    {policy.flap_threshold > 0 && (
      <li>
        {policy.flap_threshold} changes in {duration(policy.flap_window_seconds * 1000)} are told once, as flapping.
      </li>
    )}
    <li>
      {policy.repeat_interval_seconds > 0
        ? `A reminder every ${duration(policy.repeat_interval_seconds * 1000)} while it is down.`
        : 'No reminders.'}
    </li>
  </ul>
);
