import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { ShownOnce } from '#console/parts/shown-once.tsx';
import { Time } from '#console/parts/time.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { credentialsOf } from '#console/rules/team.ts';
import type { SignInLink } from '#lib/identity/sign-in-link.ts';
import type { MemberProps } from './pending-dialog.ts';

const schemaOf = (credentials: string): FormSchema => ({
  properties: {
    revoke: {
      type: 'boolean',
      default: false,
      title: 'A device was lost, or access is compromised',
      description: `Deletes ${credentials} at once. API keys stay valid: delete compromised keys.`,
    },
  },
});

/** Creates a one-time sign-in link for a member who cannot sign in or lost a device. */
export function SignInLinkDialog({ member, onDone, onClose }: MemberProps) {
  const [link, show] = useState<SignInLink | undefined>(undefined);
  const memberName = member.name || member.email;
  if (link)
    return (
      <ShownOnce title={`Sign-in link for ${memberName}`} texts={{ 'Valid once': link.url }} onClose={onClose}>
        Send it only to {memberName}: anyone who opens it is signed in as them. Valid until{' '}
        <Time at={link.expires_at} as="full" />.
      </ShownOnce>
    );
  return (
    <Dialog help="recovery" title={`Sign-in link for ${memberName}`} onClose={onClose}>
      <p class="lead">The link signs {memberName} in once and is valid for 24 hours. Older links become invalid.</p>
      <SchemaForm
        name={`sign-in link ${member.id}`}
        schema={schemaOf(credentialsOf(member, 0))}
        submit="Create link"
        onCancel={onClose}
        send={async (body) => {
          show(await call<SignInLink>('POST', `/v1/settings/users/${member.id}/sign-in-link`, body));
          onDone();
        }}
      />
    </Dialog>
  );
}
