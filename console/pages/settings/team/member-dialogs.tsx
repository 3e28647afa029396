import { call } from '#console/api/call.ts';
import { me, readMe } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { NewInvitationLink } from './new-invitation-link.tsx';
import type { MemberProps, PendingDialog } from './pending-dialog.ts';
import { Remove } from './remove.tsx';
import { SignInLinkDialog } from './sign-in-link.tsx';

type MemberDialogProps = { dialog: PendingDialog; onDone: () => void; onClose: () => void };

const MEMBER: FormSchema = {
  properties: { name: { type: 'string' }, email: { type: 'string', title: 'E-mail address' } },
  required: ['name', 'email'],
};

export function MemberDialog({ dialog: { what, member }, onDone, onClose }: MemberDialogProps) {
  const props = { member, onDone, onClose };
  if (what === 'edit') return <Edit {...props} />;
  if (what === 'invite') return <NewInvitationLink {...props} />;
  if (what === 'link') return <SignInLinkDialog {...props} />;
  if (what === 'sessions') return <EndSessions {...props} />;
  return <Remove {...props} />;
}

const Edit = ({ member, onDone, onClose }: MemberProps) => (
  <Dialog help="roles" title={`Edit ${member.email}`} onClose={onClose}>
    <SchemaForm
      name={`member ${member.id}`}
      schema={MEMBER}
      record={member}
      submit="Save"
      onCancel={onClose}
      send={async (body) => {
        await call('PUT', `/v1/settings/users/${member.id}`, body);
        if (member.id === me.peek()?.user.id) await readMe();
        onDone();
        onClose();
      }}
    />
  </Dialog>
);

const EndSessions = ({ member, onClose }: MemberProps) => (
  <Confirm
    title={`End all sessions of ${member.name}?`}
    action="End all sessions"
    run={async () => {
      await call('DELETE', `/v1/settings/users/${member.id}/sessions`);
      showToast(`All sessions of ${member.name} have ended.`);
    }}
    onClose={onClose}
  >
    <p>
      They are signed out everywhere and can sign in again. API keys stay valid.
      {member.id === me.value?.user.id && ' This includes your own session.'}
    </p>
  </Confirm>
);
