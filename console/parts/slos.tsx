import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { MeasuredSlo, Slo } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { ListSection, type ListTools, type Owner } from '#console/parts/list-section.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { duration } from '#console/rules/time.ts';
import { percent } from '#console/rules/words.ts';
import { withSlug } from '#lib/platform/slug.ts';

export const Slos = ({ of }: { of: Owner }) => (
  <ListSection<Slo>
    title="SLOs"
    topic="slos"
    noun="SLO"
    path="/v1/slos"
    of={of}
    access="write"
    none="No SLOs. An SLO shows how much downtime a target still allows."
    nameOf={({ name }) => name}
    consequence="The history of the check or entity remains."
    item={(slo, tools) => <SloCard key={`${slo.id} ${slo.updated_at}`} of={of} slo={slo} {...tools} />}
    dialog={(close) => <SloDialog of={of} onClose={close} />}
  />
);

const STATES = { no_data: 'No data', healthy: 'Healthy', at_risk: 'At risk', exhausted: 'Exhausted' };

type CardProps = ListTools & { of: Owner; slo: Slo; deleteButton: ComponentChildren };

function SloCard({ of, slo, why, reload, deleteButton }: CardProps) {
  const [isEditing, edit] = useState(false);
  const measured = useLoad<MeasuredSlo>(`/v1/slos/${slo.id}`, { about: () => true });
  const within = slo.window === 'month' ? 'this month' : `in ${slo.window.replace('d', ' days')}`;
  return (
    <li>
      <p>
        <strong dir="auto">{slo.name}</strong>{' '}
        <span class="hint">
          {targetText(slo.target)} {within}
        </span>
      </p>
      <Data of={measured} what="Loading the budget">
        {({ status }) => <Budget status={status} />}
      </Data>
      <p class="row-actions">
        <Button small why={why} onClick={() => edit(true)}>
          Edit
        </Button>
        {deleteButton}
      </p>
      {isEditing && (
        <SloDialog
          of={of}
          slo={slo}
          onClose={() => {
            edit(false);
            reload();
          }}
        />
      )}
    </li>
  );
}

const targetText = (target: number): string => `${Number((target * 100).toFixed(3))} %`;

function Budget({ status }: { status: MeasuredSlo['status'] }) {
  const { state, sli, coverage, budget_seconds, remaining_seconds, remaining_ratio, known_since, from } = status;
  const budget = duration(budget_seconds * 1000);
  if (remaining_ratio === null) {
    return (
      <p class={`slo-state ${state}`}>
        {STATES[state]}: not monitored in this time. The budget is {budget}.
      </p>
    );
  }
  const left = `${duration(Math.abs(remaining_seconds) * 1000)}`;
  return (
    <>
      <p class={`slo-state ${state}`}>
        {STATES[state]}:{' '}
        {remaining_seconds < 0
          ? `budget of ${budget} exceeded by ${left}`
          : `${left} of ${budget} left (${percent(remaining_ratio)})`}
      </p>
      <meter min={0} max={1} low={0.2} optimum={1} value={Math.max(0, remaining_ratio)} aria-label="Remaining budget" />
      <p class="hint">
        Good time {percent(sli)}
        {coverage !== null && coverage < 0.99 && `, ${percent(coverage)} monitored`}
        {known_since && known_since > from && (
          <>
            , known since <Time at={known_since} as="full" />
          </>
        )}
        {status.burn_rate['6h'] !== null && `, burn rate ${status.burn_rate['6h'].toFixed(1)} in the last 6 h`}
      </p>
    </>
  );
}

function SloDialog({ of, slo, onClose }: { of: Owner; slo?: Slo; onClose: () => void }) {
  async function send(body: Record<string, unknown>) {
    const saved = slo
      ? await call<Slo>('PUT', `/v1/slos/${slo.id}`, body)
      : await call<Slo>('POST', '/v1/slos', { ...body, ...of });
    showToast(`${saved.name} is saved.`);
    onClose();
  }
  return (
    <Dialog help="slos" title={slo ? `Edit ${slo.name}` : 'New SLO'} onClose={onClose}>
      <SchemaForm
        name={slo ? `slo ${slo.id}` : `new slo ${Object.values(of)[0]}`}
        schema={SCHEMA}
        record={slo}
        {...(!slo && { derive: withSlug })}
        submit={slo ? 'Save' : 'Create'}
        send={send}
        onCancel={onClose}
      />
    </Dialog>
  );
}

const SCHEMA: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Such as Checkout works.' },
    slug: { type: 'string', description: 'Identifier for scripts, unique in the account.' },
    target: {
      type: 'number',
      minimum: 0.5,
      maximum: 0.99999,
      description: 'Required share of good time: 0.999 allows 43 minutes of downtime in 30 days.',
    },
    window: { type: 'string', enum: ['7d', '28d', '30d', '90d', 'month'], default: '30d', title: 'Time range' },
    degraded_is_down: { type: 'boolean', default: false, title: 'Degraded counts as down' },
  },
  required: ['name', 'slug', 'target'],
};
