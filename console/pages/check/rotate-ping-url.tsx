import { call } from '#console/api/call.ts';
import type { CheckDetail } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';

/** Time for which the old URL stays valid, in seconds. */
const OVERLAPS = { 'not at all': 0, 'an hour': 3600, 'a day': 86_400, 'a week': 604_800 };

const ROTATION: FormSchema = {
  properties: {
    keep_old_seconds: {
      type: 'string',
      enum: Object.keys(OVERLAPS),
      default: 'not at all',
      title: 'Keep the old URL',
      description: 'Time to replace the URL in your jobs.',
    },
  },
};

type RotateProps = { check: CheckDetail; onDone: () => void; onClose: () => void };

export const RotatePingUrl = ({ check, onDone, onClose }: RotateProps) => (
  <Dialog help="ping_url" title="Rotate ping URL" onClose={onClose}>
    <p class="lead">
      Creates a new URL. After the old URL expires, pings to it are rejected, and the check misses heartbeats from jobs
      that still use it.
    </p>
    <SchemaForm
      name={`ping-url ${check.id}`}
      schema={ROTATION}
      submit="Rotate URL"
      onCancel={onClose}
      send={async ({ keep_old_seconds }) => {
        const seconds = OVERLAPS[keep_old_seconds as keyof typeof OVERLAPS] ?? 0;
        await call('POST', `/v1/checks/${check.id}/rotate-ping-url`, { keep_old_seconds: seconds });
        showToast('The check has a new ping URL.');
        onDone();
        onClose();
      }}
    />
  </Dialog>
);
