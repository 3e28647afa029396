import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { PageProps } from '#console/app/pages.ts';
import { hideAddress } from '#console/app/router.ts';
import { readMe } from '#console/app/session.ts';
import { showError } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { Data } from '#console/parts/states.tsx';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { goToProvider, useMethods } from './methods.ts';
import { OfferPasskey } from './offer-passkey.tsx';

const SPECS = fieldsOf({ properties: { name: { type: 'string', title: 'Your name' } }, required: ['name'] });

/** Page of an invitation. The invited user accepts it with a name or through the identity provider. */
export default function InvitationPage({ params }: PageProps) {
  const token = params.token ?? '';
  const methods = useMethods();
  const [isSignedIn, setSignedIn] = useState(false);
  const form = useForm({
    name: 'invitation',
    specs: SPECS,
    send: async ({ name }) => {
      const acceptance = { token, name: String(name ?? ''), key: false, session: true };
      await call('POST', '/v1/invitations/accept', acceptance, { open: true });
      hideAddress();
      await readMe();
      setSignedIn(true);
    },
  });
  return (
    <Data of={methods}>
      {({ passkey, oidc }) =>
        isSignedIn ? (
          <OfferPasskey passkey={passkey} />
        ) : (
          <section class="card" aria-labelledby="invitation">
            <p class="brand">Fleetwatch</p>
            <h1 id="invitation" tabIndex={-1}>
              Accept the invitation
            </h1>
            <Form form={form} submit="Accept">
              <FormFields form={form} specs={SPECS} />
            </Form>
            {oidc && (
              <>
                <p class="or">or</p>
                <Button onClick={() => goToProvider({ token }).catch(showError)}>Accept with {oidc.name}</Button>
              </>
            )}
          </section>
        )
      }
    </Data>
  );
}
