import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { newRecordDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import type { Invited } from '#lib/identity/team/team.ts';
import { ROLES } from '#lib/platform/http/access.ts';
import { InvitationLink } from './invitation-link.tsx';

const INVITATION: FormSchema = {
  properties: {
    email: {
      type: 'string',
      title: 'E-mail address',
      description: 'No e-mail is sent. You get a link to send to the person.',
    },
    role: {
      type: 'string',
      enum: ROLES,
      default: 'member',
      description: 'viewer: read. responder: also run actions. member: also make changes. admin: also manage the team.',
    },
  },
  required: ['email', 'role'],
};

export function Invite({ onDone }: { onDone: () => void }) {
  const [invited, show] = useState<Invited | undefined>(undefined);
  const why = refusal('manage');
  return (
    <Section title="Invite a member">
      <SchemaForm
        name="invite"
        schema={INVITATION}
        submit="Create invitation"
        why={why}
        focused={newRecordDialog('member', why).isOpen}
        send={async (body) => {
          show(await call<Invited>('POST', '/v1/settings/users/invite', body));
          onDone();
        }}
      />
      {why && <p class="hint">{why}</p>}
      {invited && <InvitationLink invited={invited} onClose={() => show(undefined)} />}
    </Section>
  );
}
