import { useMemo, useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { type Loaded, useLoad } from '#console/api/load.ts';
import type { Blueprint } from '#console/api/records.ts';
import { useFleetRefresh } from '#console/app/fleet-refresh.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { go } from '#console/app/router.ts';
import { me, refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data, Empty, Loading } from '#console/parts/states.tsx';
import { Tabs } from '#console/parts/tabs.tsx';
import { blueprintHref, blueprintPath } from '#console/rules/catalog.ts';
import { inOrder } from '#console/rules/fleet.ts';
import { count, number } from '#console/rules/words.ts';
import { BlueprintDialog } from './blueprint-form.tsx';
import { Entities } from './entities.tsx';
import { Fields } from './fields.tsx';
import { Import } from './import.tsx';

/** Page of a blueprint: entities, fields, and import of a table. */
export default function BlueprintPage({ params, query }: PageProps) {
  const slug = params.blueprint!;
  const blueprint = useLoad<Blueprint>(blueprintPath(slug));
  useFleetRefresh();
  if (blueprint.data && blueprint.failure?.status !== 404) {
    return <BlueprintView blueprint={blueprint.data} of={blueprint} part={query.get('part')} />;
  }
  return (
    <Page title={slug} above={<Above />}>
      {blueprint.failure?.status === 404 ? (
        <Empty title="Blueprint not found">
          <p>It was deleted, or the address is wrong.</p>
        </Empty>
      ) : (
        <Data of={blueprint}>{() => null}</Data>
      )}
    </Page>
  );
}

const Above = () => <a href="#/catalog">Catalog</a>;

type BlueprintViewProps = { blueprint: Blueprint; of: Loaded<Blueprint>; part: string | null };

function BlueprintView({ blueprint, of, part }: BlueprintViewProps) {
  const { slug, name, description, fields } = blueprint;
  const [open, show] = useState<'edit' | 'delete' | undefined>(undefined);
  const fleet = live.fleet.value;
  const rows = useMemo(() => (fleet ? inOrder(fleet).filter((row) => row.blueprint_slug === slug) : []), [fleet, slug]);
  const why = refusal('write');
  const deleteBlocked =
    rows.length > 0 ? `It has ${count(rows.length, 'entity', 'entities')}: delete them first.` : undefined;
  const limit = me.value?.entity_limit_per_bp;
  const changed = () => {
    show(undefined);
    of.reload();
  };
  const tabs = [
    { href: blueprintHref(slug), name: `Entities ${number(rows.length)}` },
    { href: blueprintHref(slug, 'fields'), name: `Fields ${number(fields.length)}` },
    { href: blueprintHref(slug, 'import'), name: 'Paste a table' },
  ];
  const current = tabs.find(({ href }) => href.endsWith(`?part=${part}`)) ?? tabs[0]!;
  return (
    <Page
      title={<span dir="auto">{name}</span>}
      above={<Above />}
      actions={
        <>
          <Button why={why} onClick={() => show('edit')}>
            Edit
          </Button>
          <Button why={why ?? deleteBlocked} kind="danger" onClick={() => show('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <p class="hint use" dir="auto">
        <code>{slug}</code> · {number(rows.length)}
        {limit !== undefined && ` of ${number(limit)}`} entities{blueprint.is_default && ' · the default blueprint'}
        {description && ` · ${description}`}
      </p>
      <Tabs label="Parts" tabs={tabs} current={current.href} />
      <div class="tab">
        {!fleet && <Loading what="Loading the entities" />}
        {fleet && current === tabs[0] && <Entities blueprint={blueprint} rows={rows} />}
        {fleet && current === tabs[1] && <Fields blueprint={blueprint} entities={rows.length} onChanged={of.reload} />}
        {fleet && current === tabs[2] && <Import blueprint={blueprint} rows={rows} />}
      </div>
      {open === 'edit' && <BlueprintDialog blueprint={blueprint} onSaved={changed} onClose={() => show(undefined)} />}
      {open === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action={`Delete ${name}`}
          onClose={() => show(undefined)}
          run={async () => {
            await call('DELETE', blueprintPath(slug));
            showToast(`${name} is deleted.`);
            go('/catalog');
          }}
        >
          <p>This also deletes its {count(fields.length, 'field')}. It has no entities.</p>
        </Confirm>
      )}
    </Page>
  );
}
