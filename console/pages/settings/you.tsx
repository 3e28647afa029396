import { call } from '#console/api/call.ts';
import { me, readMe } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';

const YOU: FormSchema = {
  properties: {
    name: { type: 'string', title: 'Your name', description: 'Name shown to the team.' },
    monthly_report: {
      type: 'boolean',
      title: 'Monthly report',
      description: 'E-mails you the uptime of each month, after you confirm your address.',
    },
  },
  required: ['name'],
};

/** Form for the name and monthly report of the user. An admin changes role and e-mail address in the team. */
export function You() {
  const account = me.value;
  if (!account) return null;
  return (
    <Section title="You">
      <p class="id-line">
        <bdi>{account.user.email}</bdi>, {account.role} of <bdi>{account.name}</bdi>
      </p>
      <SchemaForm
        name="you"
        schema={YOU}
        record={account.user}
        submit="Save"
        send={async (body) => {
          await call('PUT', `/v1/settings/users/${account.user.id}`, body);
          await readMe();
          showToast('Your settings are saved.');
        }}
      />
    </Section>
  );
}
