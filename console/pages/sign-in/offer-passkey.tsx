import { useState } from 'preact/hooks';
import { replaceAddress } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { type FieldSpec, fieldsOf } from '#console/rules/form-fields.ts';
import type { Methods } from './methods.ts';
import { addPasskey } from './passkeys.ts';

const SPECS: readonly FieldSpec[] = fieldsOf({
  properties: { name: { type: 'string', description: 'What you call the device: laptop, phone.' } },
  required: ['name'],
});

/** Who came in by something that is good once is offered a way to come in again. */
export function OfferPasskey({ passkey }: Pick<Methods, 'passkey'>) {
  const goOn = () => replaceAddress('/');
  const [added, setAdded] = useState(false);
  const form = useForm({
    name: 'passkey',
    specs: SPECS,
    send: async ({ name }) => {
      await addPasskey(String(name ?? ''));
      setAdded(true);
      goOn();
    },
  });
  return (
    <section class="card" aria-labelledby="offer">
      <h1 id="offer" tabIndex={-1}>
        You are in
      </h1>
      <p role="status">{passkey.reason ?? 'Add a passkey, so that you can sign in again without a link.'}</p>
      {passkey.available && !added && (
        <Form form={form} submit="Add a passkey">
          <FormFields form={form} specs={SPECS} />
        </Form>
      )}
      <Button onClick={goOn}>{passkey.available ? 'Not now' : 'Go on'}</Button>
    </section>
  );
}
