import { automation } from '#console/api/automation-schemas.ts';
import { call } from '#console/api/call.ts';
import type { Action } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { type FieldSpec, fieldsOf } from '#console/rules/form-fields.ts';

/** Trigger that each of these properties belongs to; all others belong to the request of the action. */
const TRIGGER_OF: Readonly<Record<string, Action['trigger_type'] | 'any'>> = {
  trigger_type: 'any',
  check_id: 'state_change',
  trigger_to_state: 'state_change',
  interval_seconds: 'schedule',
  remediation: 'state_change',
};

const triggerOf = (path: string) => TRIGGER_OF[path.split('.')[0]!];

const belongsTo = (path: string, trigger: string | undefined): boolean =>
  [undefined, 'any', trigger].includes(triggerOf(path));

const STATE_TITLES = { '': 'any state' };
const TRIGGER_TITLES = { manual: 'manual only', state_change: 'state change of a check', schedule: 'schedule' };

const SPECS = fieldsOf(automation.action).map((spec): FieldSpec => {
  if (spec.path === 'trigger_type')
    return { ...spec, titles: TRIGGER_TITLES, initial: 'manual', required: false, hint: '' };
  if (spec.path === 'trigger_to_state')
    return { ...spec, titles: STATE_TITLES, initial: 'down', hint: 'New state of the check that starts the action.' };
  if (spec.path === 'check_id')
    return { ...spec, kind: 'check', required: true, hint: 'Check whose transitions start the action.' };
  return spec;
});

/** Fields of an existing action, whose header values are hidden. */
const EDIT_SPECS = SPECS.map(
  (spec): FieldSpec =>
    spec.path === 'headers' ? { ...spec, hint: `${spec.hint} Unchanged headers keep their stored values.` } : spec,
);

type ActionFormProps = {
  action?: Action;
  onSaved: (action: Action) => void;
  onClose: () => void;
};

export function ActionForm({ action, onSaved, onClose }: ActionFormProps) {
  const specs = action ? EDIT_SPECS : SPECS;
  const form = useForm({
    name: action ? `action ${action.id}` : 'action',
    specs,
    record: action,
    send: async (body) => {
      const trigger = body.trigger_type;
      const request = {
        ...Object.fromEntries(Object.entries(body).filter(([path]) => belongsTo(path, String(trigger)))),
        ...(action?.remediation && trigger !== 'state_change' && { remediation: null }),
      };
      const saved = action
        ? await call<Action>('PUT', `/v1/actions/${action.id}`, request)
        : await call<Action>('POST', '/v1/actions', request);
      onClose();
      onSaved(saved);
    },
  });
  const trigger = form.draft.trigger_type;
  const ofRequest = specs.filter(({ path }) => triggerOf(path) === undefined);
  const ofTrigger = specs.filter(({ path }) => triggerOf(path) !== undefined && belongsTo(path, trigger));
  return (
    <Dialog help="actions" title={action ? `Edit ${action.name}` : 'New action'} wide onClose={onClose}>
      <Form form={form} submit={action ? 'Save' : 'Create'} why={refusal('configure')} onCancel={onClose}>
        <FormFields form={form} specs={ofRequest} />
        <FormFields form={form} specs={ofTrigger} />
      </Form>
    </Dialog>
  );
}
