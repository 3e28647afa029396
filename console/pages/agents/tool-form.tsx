import { automation } from '#console/api/automation-schemas.ts';
import type { Action, Skill, Tool } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { type FieldSpec, fieldsOf } from '#console/rules/form-fields.ts';
import { toolSchema } from '#console/rules/run-variables.ts';
import { saveTool } from './tools.ts';

const jsonOf = (schema: object): string => JSON.stringify(schema, null, 2);
const NO_ARGUMENTS = jsonOf(toolSchema({ url: '', body_template: '' }));

const SPECS = fieldsOf(automation.tool).map(
  (spec): FieldSpec =>
    spec.path === 'inputSchema' ? { ...spec, label: 'Arguments (JSON Schema)', fallback: NO_ARGUMENTS } : spec,
);
const OTHER_SPECS = SPECS.filter(({ path }) => path !== 'action_id');
const ACTION_SPEC = SPECS.find(({ path }) => path === 'action_id');

type ToolFormProps = {
  skill: Skill;
  tool?: Tool;
  actions: readonly Action[];
  onSaved: () => void;
  onClose: () => void;
};

/** Form of a tool. Choosing an action fills in its variables as arguments, unless the arguments were edited. */
export function ToolForm({ skill, tool, actions, onSaved, onClose }: ToolFormProps) {
  const form = useForm({
    name: `tool ${skill.slug} ${tool?.name ?? ''}`,
    specs: SPECS,
    record: tool,
    send: async (body) => {
      // The request replaces whole tools, so omitting action_id removes it.
      const { action_id, ...rest } = body;
      await saveTool(skill.slug, { ...rest, ...(action_id !== null && { action_id }) }, tool?.name);
      onClose();
      onSaved();
    },
  });
  const schema = form.draft.inputSchema ?? '';
  const chosen = form.draft.action_id ?? '';
  const isGenerated = schema === NO_ARGUMENTS || actions.some((action) => jsonOf(toolSchema(action)) === schema);

  function choose(id: string) {
    const action = actions.find((one) => one.id === id);
    form.set('action_id', id);
    if (action && isGenerated) form.set('inputSchema', jsonOf(toolSchema(action)));
  }

  const isKnown = chosen === '' || actions.some(({ id }) => id === chosen);
  return (
    <Dialog help="skills" title={tool ? `Edit ${tool.name}` : `New tool in ${skill.name}`} wide onClose={onClose}>
      <Form form={form} submit={tool ? 'Save' : 'Add'} why={refusal('write')} onCancel={onClose}>
        <SelectField
          label="Action"
          hint={ACTION_SPEC?.hint}
          error={form.errors.action_id}
          value={chosen}
          options={[
            { value: '', label: 'none: the built-in tool of this name' },
            ...(isKnown ? [] : [{ value: chosen, label: chosen }]),
            ...actions.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={choose}
        />
        <FormFields form={form} specs={OTHER_SPECS} />
      </Form>
    </Dialog>
  );
}
