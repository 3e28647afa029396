import { call } from '#console/api/call.ts';
import type { Entity } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { go } from '#console/app/router.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { blueprintHref, entityPath } from '#console/rules/catalog.ts';
import { count } from '#console/rules/words.ts';

type DeleteEntityProps = {
  entity: Entity;
  checkCount: number | undefined;
  relationCount: number | undefined;
  onClose: () => void;
};

/** Asks for confirmation before an entity is deleted, with its checks and relations. */
export const DeleteEntity = ({ entity, checkCount, relationCount, onClose }: DeleteEntityProps) => (
  <Confirm
    title={`Delete ${entity.name}?`}
    action={`Delete ${entity.name}`}
    onClose={onClose}
    run={async () => {
      await call('DELETE', entityPath(entity));
      showToast(`${entity.name} is deleted.`);
      go(blueprintHref(entity.blueprint_slug).slice(1));
      void live.refresh();
    }}
  >
    <p>This also permanently deletes:</p>
    <ul class="losses">
      <li>
        {checkCount === undefined ? 'its checks' : count(checkCount, 'check')} with results, history, policy and
        channels
      </li>
      <li>{relationCount === undefined ? 'its relations' : count(relationCount, 'relation')} to other entities</li>
    </ul>
  </Confirm>
);
