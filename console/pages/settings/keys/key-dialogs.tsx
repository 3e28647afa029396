import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Time } from '#console/parts/time.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { OVERLAPS, overlapSeconds } from '#console/rules/keys.ts';
import type { IssuedKey, KeyRecord } from '#lib/access/api-key.ts';
import { KeyShown } from './key-shown.tsx';

export type PendingKeyDialog = { what: 'edit' | 'rotate' | 'delete'; key: KeyRecord };

type KeyDialogProps = { dialog: PendingKeyDialog; onDone: () => void; onClose: () => void };
type KeyProps = Omit<KeyDialogProps, 'dialog'> & { of: KeyRecord };

export function KeyDialog({ dialog: { what, key }, onDone, onClose }: KeyDialogProps) {
  const props = { of: key, onDone, onClose };
  if (what === 'edit') return <Edit {...props} />;
  return what === 'rotate' ? <Rotate {...props} /> : <Delete {...props} />;
}

const KEY_SETTINGS: FormSchema = {
  properties: {
    label: { type: 'string', description: 'Purpose of the key.' },
    expires_at: {
      type: 'string',
      format: 'date-time',
      title: 'Expires',
      description: 'Can only be moved earlier. To extend a key, rotate it.',
    },
  },
  required: ['label'],
};

const Edit = ({ of: key, onDone, onClose }: KeyProps) => (
  <Dialog help="keys" title={`Edit ${key.label}`} onClose={onClose}>
    <SchemaForm
      name={`key ${key.id}`}
      schema={KEY_SETTINGS}
      record={{ label: key.label, expires_at: key.expires_at ?? undefined }}
      submit="Save"
      onCancel={onClose}
      send={async (body) => {
        await call('PUT', `/v1/auth/keys/${key.id}`, body);
        onDone();
        onClose();
      }}
    />
  </Dialog>
);

const ROTATION: FormSchema = {
  properties: {
    overlap_seconds: {
      type: 'string',
      enum: Object.keys(OVERLAPS),
      default: Object.keys(OVERLAPS)[2],
      title: 'Keep the old key for',
      description: 'Time to replace the key in your programs.',
    },
    expires_at: {
      type: 'string',
      format: 'date-time',
      title: 'Expiry of the new key',
      description: 'Empty: the lifetime of the old key.',
    },
  },
};

function Rotate({ of: key, onDone, onClose }: KeyProps) {
  const [issued, setIssued] = useState<IssuedKey | undefined>(undefined);
  if (issued) return <KeyShown of={issued} onClose={onClose} />;
  return (
    <Dialog help="rotation" title={`Rotate ${key.label}`} onClose={onClose}>
      <p class="lead">
        Creates a key with the same label, scopes and restrictions. The old key expires after the time that you select.
      </p>
      <SchemaForm
        name={`rotate ${key.id}`}
        schema={ROTATION}
        submit="Rotate"
        onCancel={onClose}
        send={async ({ overlap_seconds, ...body }) => {
          const rotation = { ...body, overlap_seconds: overlapSeconds(overlap_seconds) };
          setIssued(await call<IssuedKey>('POST', `/v1/auth/keys/${key.id}/rotate`, rotation));
          onDone();
        }}
      />
    </Dialog>
  );
}

const Delete = ({ of: key, onDone, onClose }: KeyProps) => (
  <Confirm
    title={`Delete ${key.label}?`}
    action={`Delete ${key.label}`}
    run={async () => {
      await call('DELETE', `/v1/auth/keys/${key.id}`);
      showToast(`${key.label} is deleted.`);
      onDone();
    }}
    onClose={onClose}
  >
    <p>
      Requests with this key are rejected at once, and sessions that were started with it end.{' '}
      {key.last_used_at ? (
        <>
          It was used <Time at={key.last_used_at} />
          {key.last_used_from && ` from ${key.last_used_from}`} (accurate to an hour).
        </>
      ) : (
        'It has never been used.'
      )}
    </p>
  </Confirm>
);
