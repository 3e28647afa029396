import { call } from '#console/api/call.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { PasskeyRecord } from '#lib/identity/passkeys/passkey.ts';

const NAME = { properties: { name: { type: 'string' } }, required: ['name'] };

export const RenamePasskey = ({
  of: passkey,
  onDone,
  onClose,
}: {
  of: PasskeyRecord;
  onDone: () => void;
  onClose: () => void;
}) => (
  <Dialog help="passkeys" title={`Rename ${passkey.name}`} onClose={onClose}>
    <SchemaForm
      name={`passkey ${passkey.id}`}
      schema={NAME}
      record={passkey}
      submit="Save"
      onCancel={onClose}
      send={async (body) => {
        await call('PUT', `/v1/sign-in/passkeys/${passkey.id}`, body);
        onDone();
        onClose();
      }}
    />
  </Dialog>
);
