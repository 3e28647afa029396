import { call } from '#console/api/call.ts';
import type { MadeOne, MaintenanceWindow } from '#console/api/records.ts';
import { zone } from '#console/app/appearance.ts';
import { showToast, showWarning } from '#console/app/toasts.tsx';
import { blueprintsInUse, Selects } from '#console/parts/alerts/selects.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { zoneName } from '#console/rules/time.ts';
import { isShown, requestOf, typedWindow, type WindowRequest, windowSchema } from '#console/rules/windows/form.ts';
import { timesOf } from '#console/rules/windows/times.ts';
import { CalendarError } from '#lib/schedule/calendar/schedule-line.ts';
import { Coming } from './upcoming-intervals.tsx';

type FormProps = {
  /** Undefined: a new one. */
  window?: MaintenanceWindow;
  onSaved: () => void;
  onCancel: () => void;
};

/** A window that comes once, or again and again; when it is open next stands below while one types. */
export function WindowForm({ window, onSaved, onCancel }: FormProps) {
  const specs = fieldsOf(windowSchema(blueprintsInUse(), zoneName(zone.value)));
  const form = useForm({
    name: window ? `window ${window.id}` : 'new window',
    specs,
    record: window && typedWindow(window),
    send: async (body) => {
      const { notice } = window
        ? await call<MadeOne>('PUT', `/v1/windows/${window.id}`, requestOf(body))
        : await call<MadeOne>('POST', '/v1/windows', requestOf(body));
      showToast(window ? 'The window is changed.' : 'The window is made.');
      if (notice) showWarning(notice);
      onSaved();
    },
  });
  const request = requestOf(form.body());
  const shown = specs.filter(({ path }) => isShown(path, form.draft.comes, window !== undefined));
  return (
    <Form form={form} submit={window ? 'Save window' : 'Make window'} onCancel={onCancel}>
      <FormFields form={form} specs={shown.filter(({ path }) => !isAbout(path))} stored={window !== undefined} />
      <section class="inset" role="status">
        <h3>Open next</h3>
        <WhatComes request={request} />
      </section>
      <FormFields form={form} specs={shown.filter(({ path }) => isAbout(path))} stored={window !== undefined} />
      <p class="hint">
        Alerts of <Selects of={request.scope} /> are held in it.
      </p>
    </Form>
  );
}

/** Whether a field says of which checks it is, or what is done. */
const isAbout = (path: string): boolean => path === 'note' || path.startsWith('scope.');

/** When it is open next, as the service will count it. */
function WhatComes({ request }: { request: WindowRequest }) {
  try {
    const times = timesOf(request, Date.now());
    if (!times) return <p class="hint">Say when, and the next times stand here.</p>;
    if ('ends_at' in times && times.ends_at <= times.starts_at)
      return <p class="field-error">It ends before it begins.</p>;
    return <Coming times={times} zone={request.time_zone ?? null} />;
  } catch (error) {
    if (!(error instanceof CalendarError)) throw error;
    return <p class="field-error">{error.message}</p>;
  }
}
