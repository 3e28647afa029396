import { call } from '#console/api/call.ts';
import type { Badge } from '#console/api/records.ts';
import { CopyButton } from '#console/parts/copy-button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { ListSection, type Owner } from '#console/parts/list-section.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';

/** Lists the badges of a check or an entity, and copies one as Markdown. @param name suggested label */
export function Badges({ of, name }: { of: Owner; name: string }) {
  const suggested = { label: [...name].slice(0, MAX_LABEL).join('') };
  return (
    <ListSection<Badge>
      title="Badges"
      topic="badges"
      noun="badge"
      path="/v1/badges"
      of={of}
      access="configure"
      none="No badges. A badge shows the state to everyone, for example in a README."
      nameOf={(badge) => `the badge ${labelOf(badge)}`}
      consequence="Pages that show it get “not found” within a minute."
      item={(badge, { deleteButton }) => (
        <li key={badge.id}>
          <img src={new URL(badge.urls.state).pathname} alt={`State of ${labelOf(badge)}`} height={20} />
          <p class="row-actions">
            <CopyButton text={markdownOf(badge, 'state')} label="Copy badge" />
            {badge.urls.uptime && <CopyButton text={markdownOf(badge, 'uptime')} label="Copy uptime badge" />}
            {deleteButton}
          </p>
        </li>
      )}
      dialog={(close) => (
        <Dialog help="badges" title="New badge" onClose={close}>
          <SchemaForm
            name={`new badge ${Object.values(of)[0]}`}
            schema={SCHEMA}
            record={suggested}
            submit="Create"
            send={async (body) => {
              await call('POST', '/v1/badges', { ...suggested, ...body, ...of });
              close();
            }}
            onCancel={close}
          />
        </Dialog>
      )}
    />
  );
}

const labelOf = ({ label }: Badge): string => label ?? 'status';

const markdownOf = (badge: Badge, figure: 'state' | 'uptime'): string =>
  `![${labelOf(badge).replace(/[[\]\\]/g, '\\$&')}](${badge.urls[figure]})`;

const MAX_LABEL = 40;

const SCHEMA: FormSchema = {
  type: 'object',
  properties: {
    label: {
      type: 'string',
      title: 'Label',
      maxLength: MAX_LABEL,
      description: 'Text on the left, visible to everyone.',
    },
  },
};
