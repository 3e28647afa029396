import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Table } from '#console/parts/table/table.tsx';
import { Time } from '#console/parts/time.tsx';
import { entityHref } from '#console/rules/catalog.ts';
import type { Fleet } from '#console/rules/fleet.ts';
import type { MapView } from '#console/rules/relation-map.ts';
import { downstreamOf } from '#console/rules/relations.ts';
import { number } from '#console/rules/words.ts';

/** Lists the root causes of current failures. Shows nothing without one. */
export function RootCauses({ fleet, view: { roots, links } }: { fleet: Fleet; view: MapView }) {
  if (roots.length === 0) return null;
  const rows = roots.flatMap((id) => fleet.get(id) ?? []);
  return (
    <Section title="Root causes" actions={<span class="hint">Down without an upstream cause. Start here.</span>}>
      <Table
        label="Root causes"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { head: 'State', cell: ({ state }) => <StateMark state={state} /> },
          {
            head: 'Entity',
            grow: true,
            cell: (row) => (
              <>
                <a class="row-link" href={entityHref(row)} dir="auto">
                  {row.name}
                </a>
                <span class="why" dir="auto" title={row.error_message}>
                  {row.error_message}
                </span>
              </>
            ),
          },
          { head: 'For', numeric: true, cell: ({ state_since }) => <Time at={state_since} as="short" /> },
          { head: 'Downstream', numeric: true, cell: ({ id }) => number(downstreamOf(id, links).size) },
        ]}
      />
    </Section>
  );
}
