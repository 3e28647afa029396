import { useState } from 'preact/hooks';
import { replaceAddress } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { type FieldSpec, fieldsOf } from '#console/rules/form-fields.ts';
import type { Methods } from './methods.ts';
import { addPasskey } from './passkeys.ts';

const SPECS: readonly FieldSpec[] = fieldsOf({
  properties: { name: { type: 'string', description: 'Name of the device, such as laptop or phone.' } },
  required: ['name'],
});

/** Offers a passkey to a user who signed in with a one-time link. */
export function OfferPasskey({ passkey }: Pick<Methods, 'passkey'>) {
  const continueToFleet = () => replaceAddress('/');
  const [added, setAdded] = useState(false);
  const form = useForm({
    name: 'passkey',
    specs: SPECS,
    send: async ({ name }) => {
      await addPasskey(String(name ?? ''));
      setAdded(true);
      continueToFleet();
    },
  });
  return (
    <section class="card" aria-labelledby="offer">
      <h1 id="offer" tabIndex={-1}>
        You are signed in
      </h1>
      <p role="status">{passkey.reason ?? 'Add a passkey to sign in without a link.'}</p>
      {passkey.available && !added && (
        <Form form={form} submit="Add passkey">
          <FormFields form={form} specs={SPECS} />
        </Form>
      )}
      <Button onClick={continueToFleet}>{passkey.available ? 'Not now' : 'Continue'}</Button>
    </section>
  );
}
