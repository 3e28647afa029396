import { call } from '#console/api/call.ts';
import type { CheckDetail } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { MemberSchema } from '#console/rules/form-fields.ts';

/** How long the old URL may work on, in seconds. */
const OVERLAPS = { 'not at all': 0, 'an hour': 3600, 'a day': 86_400, 'a week': 604_800 };

const ROTATION: MemberSchema = {
  properties: {
    keep_old_seconds: {
      type: 'string',
      enum: Object.keys(OVERLAPS),
      default: 'not at all',
      title: 'The old URL works on for',
      description: 'So that the new one can be put where it is used without a gap.',
    },
  },
};

type RotateProps = { check: CheckDetail; onDone: () => void; onClose: () => void };

/** Gives a push check another ping URL. */
export const RotatePingUrl = ({ check, onDone, onClose }: RotateProps) => (
  <Dialog title="Another ping URL" onClose={onClose}>
    <p class="lead">Makes a new URL; the old one then leads nowhere, and jobs that still ping it look silent.</p>
    <SchemaForm
      name={`ping-url ${check.id}`}
      schema={ROTATION}
      submit="Make another URL"
      onCancel={onClose}
      send={async ({ keep_old_seconds }) => {
        const seconds = OVERLAPS[keep_old_seconds as keyof typeof OVERLAPS] ?? 0;
        await call('POST', `/v1/checks/${check.id}/rotate-ping-url`, { keep_old_seconds: seconds });
        showToast('The check has another ping URL.');
        onDone();
        onClose();
      }}
    />
  </Dialog>
);
