import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { ShownOnce } from '#console/parts/shown-once.tsx';
import { Time } from '#console/parts/time.tsx';
import type { MemberSchema } from '#console/rules/form-fields.ts';
import { goesWith } from '#console/rules/team.ts';
import type { SignInLink } from '#lib/identity/sign-in-link.ts';
import type { MemberProps } from './pending-dialog.ts';

const schemaOf = (lost: string): MemberSchema => ({
  properties: {
    revoke: {
      type: 'boolean',
      default: false,
      title: 'A device was lost, or somebody else may sign in',
      description: `Ends ${lost} at once. API keys stay: delete those that may be known.`,
    },
  },
});

/** A link that signs a member in once: for who cannot get in, or has lost a device. */
export function SignInLinkDialog({ member, onDone, onClose }: MemberProps) {
  const [link, show] = useState<SignInLink | undefined>(undefined);
  const who = member.name || member.email;
  if (link)
    return (
      <ShownOnce title={`Sign-in link for ${who}`} texts={{ 'Good once': link.url }} onClose={onClose}>
        Hand it on to {who} alone: whoever opens it is signed in as them. It is good until{' '}
        <Time at={link.expires_at} as="full" />.
      </ShownOnce>
    );
  return (
    <Dialog title={`A sign-in link for ${who}`} onClose={onClose}>
      <p class="lead">It signs them in once, within 24 hours. One that was made before is void then.</p>
      <SchemaForm
        name={`sign-in link ${member.id}`}
        schema={schemaOf(goesWith(member, 0))}
        submit="Make the link"
        onCancel={onClose}
        send={async (body) => {
          show(await call<SignInLink>('POST', `/v1/settings/users/${member.id}/sign-in-link`, body));
          onDone();
        }}
      />
    </Dialog>
  );
}
