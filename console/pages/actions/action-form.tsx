import { call } from '#console/api/call.ts';
import type { Action } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { refusal } from '#console/app/session.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { FormField } from '#console/parts/form/form-field.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { type FieldSpec, fieldsOf } from '#console/rules/form-fields.ts';
import { CheckPicker } from './check-picker.tsx';

/** Properties that belong to a trigger; all others belong to the request of the action. */
const OF_TRIGGER: Readonly<Record<string, Action['trigger_type'] | 'any'>> = {
  trigger_type: 'any',
  check_id: 'state_change',
  trigger_to_state: 'state_change',
  remediation: 'state_change',
  interval_seconds: 'schedule',
};

/** Values that a new action starts with. */
const FIRST: Readonly<Record<string, string>> = { trigger_type: 'manual', trigger_to_state: 'down' };

const SPECS = fieldsOf(schemas.action).map((spec): FieldSpec => {
  const fallback = FIRST[spec.path];
  return fallback === undefined ? spec : { ...spec, fallback, required: false };
});

/** Fields of an existing action, whose header values are hidden. */
const STORED = SPECS.map(
  (spec): FieldSpec =>
    spec.path === 'headers' ? { ...spec, hint: `${spec.hint} Unchanged headers keep their stored values.` } : spec,
);

type ActionFormProps = {
  action?: Action;
  onSaved: (action: Action) => void;
  onClose: () => void;
};

/** Creates or changes an action: a field for each property, and a picker for the check. */
export function ActionForm({ action, onSaved, onClose }: ActionFormProps) {
  const specs = action ? STORED : SPECS;
  const form = useForm({
    name: action ? `action ${action.id}` : 'action',
    specs,
    record: action,
    send: async (body) => {
      const saved = action
        ? await call<Action>('PUT', `/v1/actions/${action.id}`, body)
        : await call<Action>('POST', '/v1/actions', body);
      onClose();
      onSaved(saved);
    },
  });
  const trigger = form.draft.trigger_type;
  const ofCall = specs.filter(({ path }) => OF_TRIGGER[path] === undefined);
  const ofTrigger = specs.filter(({ path }) => OF_TRIGGER[path] === 'any' || OF_TRIGGER[path] === trigger);
  return (
    <Dialog title={action ? `Change ${action.name}` : 'New action'} wide onClose={onClose}>
      <Form form={form} submit={action ? 'Save' : 'Create'} why={refusal('configure')} onCancel={onClose}>
        <FormFields form={form} specs={ofCall} />
        <h3>Trigger</h3>
        <div class="fields">
          {ofTrigger.map((spec) =>
            spec.path === 'check_id' ? (
              <CheckPicker key={spec.path} form={form} spec={spec} />
            ) : spec.path === 'trigger_to_state' ? (
              <SelectField
                key={spec.path}
                label={spec.label}
                hint={spec.hint}
                error={form.errors[spec.path]}
                value={form.draft[spec.path] ?? ''}
                options={spec.options.map((value) => ({ value, label: value || 'any' }))}
                onChange={(value) => form.set(spec.path, value)}
              />
            ) : (
              <FormField key={spec.path} form={form} spec={spec} />
            ),
          )}
        </div>
      </Form>
    </Dialog>
  );
}
