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
      description: 'Mails the uptime of each month to your address, which is asked to confirm first.',
    },
  },
  required: ['name'],
};

/** The user: they change their name and monthly report; an admin changes role and e-mail address. */
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
