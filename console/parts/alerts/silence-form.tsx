import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { type FormSchema, fieldsOf } from '#console/rules/form-fields.ts';

const HOUR = 3_600_000;
const LENGTHS: Readonly<Record<string, number>> = {
  '1 hour': HOUR,
  '2 hours': 2 * HOUR,
  '4 hours': 4 * HOUR,
  '1 day': 24 * HOUR,
  '1 week': 168 * HOUR,
};
const LIFTED = 'until lifted';
const OTHER = 'until a given time';

const schemaOf = (lengths: readonly string[], more: FormSchema['properties']): FormSchema => ({
  properties: {
    length: { type: 'string', title: 'For', enum: lengths, default: lengths[0] },
    until: { type: 'string', format: 'date-time', title: 'Until', description: 'At most 30 days from now.' },
    reason: { type: 'string', description: 'Reason, shown to other users.' },
    ...more,
  },
});

type SilenceProps = {
  name: string;
  endless?: boolean;
  more?: FormSchema['properties'];
  why?(lasts_ms: number, body: Record<string, unknown>): string | undefined;
  /** @param until ISO 8601; null: until lifted */
  send(silence: { until: string | null; reason: string }, body: Record<string, unknown>): Promise<unknown>;
  onCancel: () => void;
};

export function SilenceForm({ name, endless = false, more, why, send, onCancel }: SilenceProps) {
  const specs = fieldsOf(schemaOf([...Object.keys(LENGTHS), OTHER, ...(endless ? [LIFTED] : [])], more));
  const form = useForm({
    name,
    specs,
    send: ({ length, until, reason = '', ...body }) => {
      const ms = LENGTHS[String(length)];
      const end = length === LIFTED ? null : ms ? new Date(Date.now() + ms).toISOString() : String(until ?? '');
      return send({ until: end, reason: String(reason) }, body);
    },
  });
  const hasOwnEnd = form.draft.length === OTHER;
  const body = form.body();
  const lastsMs = LENGTHS[String(body.length)] ?? Date.parse(String(body.until)) - Date.now();
  return (
    <Form form={form} submit="Silence" why={why?.(lastsMs, body)} onCancel={onCancel}>
      <FormFields form={form} specs={specs.filter(({ path }) => path !== 'until' || hasOwnEnd)} />
    </Form>
  );
}
