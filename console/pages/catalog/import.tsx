import { useMemo, useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Blueprint } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { TextField } from '#console/parts/field.tsx';
import { draftKey, dropDraft, keepDraft, keptDraft } from '#console/parts/form/drafts.ts';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { runConcurrently } from '#console/rules/bulk-requests.ts';
import { blueprintPath } from '#console/rules/catalog.ts';
import { type EntityRow, type Pasted, readEntities, remaining } from '#console/rules/entity-rows.ts';
import type { FleetRow } from '#console/rules/fleet.ts';
import { count } from '#console/rules/words.ts';

/** Reasons of rejected lines, by the text of the line, because its number changes when created lines are removed. */
type Rejections = ReadonlyMap<string, string>;
const textOf = ({ cells }: EntityRow): string => JSON.stringify(cells);

/** Creates entities from a pasted table, after a preview. Rejected lines stay, with the reason. */
export function Import({ blueprint, rows }: { blueprint: Blueprint; rows: readonly FleetRow[] }) {
  const [key] = useState(() => draftKey(`import ${blueprint.slug}`));
  const [text, setText] = useState(() => keptDraft(key)?.text ?? '');
  const [rejections, setRejections] = useState<Rejections>(new Map());
  const [running, setRunning] = useState<{ done: number; total: number } | undefined>(undefined);
  const taken = useMemo(() => new Set(rows.map(({ slug }) => slug)), [rows]);
  const pasted = useMemo(() => readEntities(text, blueprint.fields, taken), [text, blueprint, taken]);
  const ready = pasted.rows.filter(({ why }) => why === undefined);

  function changeText(next: string) {
    setText(next);
    if (next === '') dropDraft(key);
    else keepDraft(key, [], { text: next });
  }

  async function create() {
    setRunning({ done: 0, total: ready.length });
    const path = `${blueprintPath(blueprint.slug)}/entities`;
    const failed = await runConcurrently(
      ready,
      ({ body }) => call('POST', path, body),
      (done) => setRunning({ done, total: ready.length }),
    );
    const reasons = new Map(failed.map(({ item, why }) => [item, why]));
    const left = pasted.rows.filter((row) => row.why !== undefined || reasons.has(row));
    changeText(remaining(pasted.header, left));
    setRejections(new Map(failed.map(({ item, why }) => [textOf(item), why])));
    setRunning(undefined);
    showToast(`${count(ready.length - failed.length, 'entity', 'entities')} created, ${failed.length} rejected.`);
    void live.refresh();
  }

  const names = ['slug', 'name', ...blueprint.fields.map(({ name }) => name)];
  return (
    <div class="import">
      <TextField
        label="Table"
        lines={8}
        value={text}
        onChange={changeText}
        disabled={running !== undefined}
        error={pasted.wrong}
        placeholder={`${names.join(',')}\nweb-shop,Web shop`}
        hint={`CSV, or cells copied from a spreadsheet. The first line names the columns: ${names.join(', ')}. Separate list items with ";".`}
      />
      <div class="filters">
        <Button
          kind="main"
          busy={running !== undefined}
          why={refusal('write') ?? (ready.length === 0 ? 'No line is valid.' : undefined)}
          onClick={() => void create()}
        >
          {ready.length === 0 ? 'Create' : `Create ${count(ready.length, 'entity', 'entities')}`}
        </Button>
        {running && (
          <progress aria-label="Creating" max={running.total} value={running.done}>
            {running.done} of {running.total}
          </progress>
        )}
        {text !== '' && <span class="hint">{summaryOf(pasted, rejections)}</span>}
      </div>
      {pasted.rows.length > 0 && (
        <Table label="Preview" rows={pasted.rows} keyOf={({ line }) => String(line)} columns={columnsOf(rejections)} />
      )}
    </div>
  );
}

function summaryOf({ rows }: Pasted, rejections: Rejections): string {
  const wrong = rows.filter(({ why }) => why !== undefined).length;
  return [
    wrong > 0 && `${wrong} of ${count(rows.length, 'line')} invalid`,
    rejections.size > 0 && `${count(rejections.size, 'line')} rejected; correct and retry`,
  ]
    .filter(Boolean)
    .join('; ');
}

const columnsOf = (rejections: Rejections): Column<EntityRow>[] => [
  { head: 'Line', numeric: true, cell: ({ line }) => line },
  { head: 'Slug', cell: ({ slug }) => <code class="cut">{slug}</code> },
  {
    head: 'Name',
    onlyWide: true,
    cell: ({ name }) => (
      <span class="cut" dir="auto">
        {name}
      </span>
    ),
  },
  {
    head: 'Fields or error',
    grow: true,
    cell: (row) => {
      const why = row.why ?? rejections.get(textOf(row));
      if (why !== undefined) return <strong class="down">{why}</strong>;
      return <span dir="auto">{JSON.stringify(row.body.fields).slice(1, -1)}</span>;
    },
  },
];
