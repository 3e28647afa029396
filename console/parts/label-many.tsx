import { call } from '#console/api/call.ts';
import { Dialog } from './dialog.tsx';
import { SchemaForm } from './form/form.tsx';
import type { ConfirmedAction } from './table/bulk.tsx';

const SCHEMA = {
  type: 'object',
  properties: {
    labels: {
      type: 'object',
      title: 'Labels to give',
      additionalProperties: { type: 'string' },
      description: 'Of those that have the name already, the value changes.',
    },
    names: { type: 'array', title: 'Labels to take away', items: { type: 'string' }, description: 'Their names.' },
  },
};

/** Gives labels to many, and takes some away. @param why one may not @param pathOf where the API has one */
export const labelMany = (why: string | undefined, pathOf: (key: string) => string): ConfirmedAction => ({
  name: 'Label',
  why,
  ask: (begin, close) => (
    <Dialog title="Label each" onClose={close}>
      <SchemaForm
        name="labels of many"
        schema={SCHEMA}
        submit="Change"
        send={async ({ labels = {}, names = [] }) => {
          const gone = (names as string[]).map((name) => [name, null]);
          const changes = { ...(labels as object), ...Object.fromEntries(gone) };
          begin((key) => call('PUT', pathOf(key), { labels: changes }));
        }}
        onCancel={close}
      />
    </Dialog>
  ),
});
