import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Badge } from '#console/api/records.ts';
import { newDialog } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { CopyButton } from '#console/parts/copy-button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';

/** Target of a badge. */
type Shown = { check_id: string } | { entity_id: string };

/** Lists the badges of a check or an entity, and copies one as Markdown. @param name suggested label */
export function Badges({ of, name }: { of: Shown; name: string }) {
  const [[key, id]] = Object.entries(of) as [[string, string]];
  const badges = useLoad<Badge[]>(`/v1/badges?${key}=${encodeURIComponent(id)}`);
  const [deleted, remove] = useState<Badge | undefined>(undefined);
  const why = refusal('configure');
  const { isOpen, open, close } = newDialog('badge', why);
  const suggested = { label: [...name].slice(0, MAX_LABEL).join('') };
  return (
    <Section
      title="Badges"
      help="badges"
      actions={
        <Button small icon="add" why={why} onClick={open}>
          New badge
        </Button>
      }
    >
      <Data of={badges} what="Loading the badges">
        {(found) =>
          found.length === 0 ? (
            <p class="hint">No badges. A badge shows the state to everyone, for example in a README.</p>
          ) : (
            <ul class="badges">
              {found.map((badge) => (
                <li key={badge.id}>
                  <img src={new URL(badge.urls.state).pathname} alt={`State of ${labelOf(badge)}`} height={20} />
                  <p class="row-actions">
                    <CopyButton text={markdownOf(badge, 'state')} label="Copy badge" />
                    {badge.urls.uptime && <CopyButton text={markdownOf(badge, 'uptime')} label="Copy uptime badge" />}
                    <Button small kind="danger" why={why} onClick={() => remove(badge)}>
                      Delete
                    </Button>
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Data>
      {isOpen && (
        <Dialog help="badges" title="New badge" onClose={close}>
          <SchemaForm
            name={`new badge ${id}`}
            schema={SCHEMA}
            record={suggested}
            submit="Create"
            send={async (body) => {
              await call('POST', '/v1/badges', { ...suggested, ...body, ...of });
              close();
              badges.reload();
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {deleted && (
        <Confirm
          title={`Delete the badge ${labelOf(deleted)}?`}
          action="Delete badge"
          run={async () => {
            await call('DELETE', `/v1/badges/${deleted.id}`);
            badges.reload();
          }}
          onClose={() => remove(undefined)}
        >
          <p>Pages that show it get “not found” within a minute.</p>
        </Confirm>
      )}
    </Section>
  );
}

const labelOf = ({ label }: Badge): string => label ?? 'status';

/** Returns a badge as an image in Markdown. */
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
