import { call } from '#console/api/call.ts';
import { Dialog } from './dialog.tsx';
import { SchemaForm } from './form/form.tsx';
import type { DialogAction } from './table/bulk.tsx';

const SCHEMA = {
  type: 'object',
  properties: {
    labels: {
      type: 'object',
      title: 'Labels to set',
      additionalProperties: { type: 'string' },
      description: 'Existing labels of the same name are replaced.',
    },
    names: { type: 'array', title: 'Labels to remove', items: { type: 'string' }, description: 'Names of the labels.' },
  },
};

/** Sets and removes labels of many records. @param why reason that it is not allowed @param pathOf API path of one */
export const labelMany = (why: string | undefined, pathOf: (key: string) => string): DialogAction => ({
  name: 'Label',
  why,
  ask: (begin, close) => (
    <Dialog help="labels" title="Label the selected items" onClose={close}>
      <SchemaForm
        name="labels of many"
        schema={SCHEMA}
        submit="Change"
        send={async ({ labels = {}, names = [] }) => {
          const removed = (names as string[]).map((name) => [name, null]);
          const changes = { ...(labels as object), ...Object.fromEntries(removed) };
          begin((key) => call('PUT', pathOf(key), { labels: changes }));
        }}
        onCancel={close}
      />
    </Dialog>
  ),
});
