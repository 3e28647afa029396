import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import { me } from '#console/app/session.ts';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { ChecksField, EntitiesField } from '#console/parts/form/picked-field.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { SetField } from '#console/parts/set-field.tsx';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { KEY_PERMISSIONS, keyRequest, restrictableFields, SCOPE_MEANINGS } from '#console/rules/keys.ts';
import { readLines } from '#console/rules/lines.ts';
import type { IssuedKey } from '#lib/access/api-key.ts';
import { SCOPES } from '#lib/platform/http/access.ts';
import { KeyShown } from './key-shown.tsx';

const TEXTS = { type: 'array', items: { type: 'string' } };

const SPECS = fieldsOf({
  properties: {
    label: { type: 'string', description: 'Purpose of the key, such as dashboard.' },
    may: { type: 'string', enum: Object.values(KEY_PERMISSIONS), default: KEY_PERMISSIONS.all, title: 'Permissions' },
    expires_at: { type: 'string', format: 'date-time', title: 'Expires', description: 'Empty: never.' },
    scopes: TEXTS,
    check_ids: TEXTS,
    entity_ids: TEXTS,
    skills: TEXTS,
  },
  required: ['label'],
});
const ALWAYS = SPECS.filter(({ path }) => ['label', 'may', 'expires_at'].includes(path));

export function NewKey({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [issued, setIssued] = useState<IssuedKey | undefined>(undefined);
  const form = useForm({
    name: 'key',
    specs: SPECS,
    send: async (body) => {
      setIssued(await call<IssuedKey>('POST', '/v1/auth/keys', keyRequest(body)));
      onDone();
    },
  });
  const may = form.draft.may ?? KEY_PERMISSIONS.all;
  const restrictable = restrictableFields(may, readLines(form.draft.scopes));
  const skills = useLoad<{ slug: string }[]>(restrictable.skills ? '/v1/skills' : null, { all: true });
  const inputOf = (path: string) => ({
    value: form.draft[path] ?? '',
    error: form.errors[path],
    onChange: (text: string) => form.set(path, text),
  });
  if (issued) return <KeyShown of={issued} onClose={onClose} />;
  return (
    <div class="inset">
      <Form form={form} submit="Create key" onCancel={onClose}>
        <FormFields form={form} specs={ALWAYS} />
        {may === KEY_PERMISSIONS.some && (
          <SetField {...inputOf('scopes')} label="Scopes" options={SCOPES} meanings={SCOPE_MEANINGS} required />
        )}
        {restrictable.checks && (
          <div class="fields">
            <EntitiesField
              {...inputOf('entity_ids')}
              label="Restrict to entities"
              hint="All their checks, including future ones."
            />
            <ChecksField
              {...inputOf('check_ids')}
              label="Restrict to checks"
              hint="Without entities and checks, the key can push to every check."
            />
          </div>
        )}
        {restrictable.skills && (
          <SetField
            {...inputOf('skills')}
            label="Restrict to skills"
            hint={skills.data?.length === 0 ? 'No skills yet.' : 'Without skills, the key can use every skill.'}
            options={(skills.data ?? []).map(({ slug }) => slug)}
          />
        )}
        {may === KEY_PERMISSIONS.some && !restrictable.checks && !restrictable.skills && (
          <p class="hint">
            A key whose only scope is push can be restricted to checks. A key with the scope mcp can be restricted to
            skills.
          </p>
        )}
        {me.value?.key?.expires_at && (
          <p class="hint">You signed in with a key that expires. New keys cannot expire later.</p>
        )}
      </Form>
    </div>
  );
}
