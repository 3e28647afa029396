import { call } from '#console/api/call.ts';
import type { MaintenanceWindow, WithNotice } from '#console/api/records.ts';
import { zone } from '#console/app/appearance.ts';
import { suppressionRefusal } from '#console/app/session.ts';
import { showToast, showWarning } from '#console/app/toasts.tsx';
import { blueprintsInUse, SelectorText } from '#console/parts/alerts/selector-text.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { zoneName } from '#console/rules/time.ts';
import { isShown, requestOf, type WindowRequest, windowFormValues, windowSchema } from '#console/rules/windows/form.ts';
import { timesOf } from '#console/rules/windows/times.ts';
import { windowDuration } from '#lib/alerting/policy/suppression-access.ts';
import { CalendarError } from '#lib/schedule/calendar/schedule-line.ts';
import { UpcomingOccurrences } from './upcoming-occurrences.tsx';

type FormProps = {
  window?: MaintenanceWindow;
  onSaved: () => void;
  onCancel: () => void;
};

export function WindowForm({ window, onSaved, onCancel }: FormProps) {
  const specs = fieldsOf(windowSchema(blueprintsInUse(), zoneName(zone.value)));
  const form = useForm({
    name: window ? `window ${window.id}` : 'new window',
    specs,
    record: window && windowFormValues(window),
    send: async (body) => {
      const { notice } = window
        ? await call<WithNotice>('PUT', `/v1/windows/${window.id}`, requestOf(body))
        : await call<WithNotice>('POST', '/v1/windows', requestOf(body));
      showToast(window ? 'The window is changed.' : 'The window is created.');
      if (notice) showWarning(notice);
      onSaved();
    },
  });
  const request = requestOf(form.body());
  const shown = specs.filter(({ path }) => isShown(path, form.draft.occurrence, window !== undefined));
  return (
    <Form
      form={form}
      submit={window ? 'Save window' : 'Create window'}
      // The API checks changes, because a change that only reduces the effect of the window is always allowed.
      why={window ? undefined : whyNot(request)}
      onCancel={onCancel}
    >
      <FormFields form={form} specs={shown.filter(({ path }) => !isBelowOccurrences(path))} />
      <section class="inset" role="status">
        <h3>Next occurrences</h3>
        <Occurrences request={request} />
      </section>
      <FormFields form={form} specs={shown.filter(({ path }) => isBelowOccurrences(path))} />
      <p class="hint">
        Alerts of <SelectorText of={request.scope} /> are held while the window is open.
      </p>
    </Form>
  );
}

/** Returns why the user may not create this window; undefined if allowed, or while its times are not complete. */
function whyNot(request: WindowRequest): string | undefined {
  const now = Date.now();
  try {
    const times = timesOf(request, now);
    return (
      times && suppressionRefusal({ covers_all: request.scope.all === true, lasts_ms: windowDuration(times, now) })
    );
  } catch (error) {
    if (!(error instanceof CalendarError)) throw error;
    return undefined;
  }
}

const isBelowOccurrences = (path: string): boolean =>
  path === 'note' || path === 'public_title' || path === 'exclude_from_uptime' || path.startsWith('scope.');

function Occurrences({ request }: { request: WindowRequest }) {
  try {
    const times = timesOf(request, Date.now());
    if (!times) return <p class="hint">Enter the time to see the next occurrences.</p>;
    if ('ends_at' in times && times.ends_at <= times.starts_at)
      return <p class="field-error">The end must be after the start.</p>;
    return <UpcomingOccurrences times={times} zone={request.time_zone ?? null} />;
  } catch (error) {
    if (!(error instanceof CalendarError)) throw error;
    return <p class="field-error">{error.message}</p>;
  }
}
