import { live } from '#console/app/live.ts';
import { Button } from '#console/parts/button.tsx';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { type FrameProps, GroupFrame } from '#console/parts/field.tsx';
import { readLines } from '#console/rules/lines.ts';

type EntitiesProps = FrameProps & {
  /** Ids, one per line. */
  value: string;
  onChange: (lines: string) => void;
};

/** Selects several entities by their names. */
export function EntitiesField({ value, onChange, ...frame }: EntitiesProps) {
  const ids = readLines(value);
  const nameOf = (id: string) => live.fleet.value?.get(id)?.name ?? id;
  return (
    <GroupFrame kind="entities" {...frame}>
      {ids.length > 0 && (
        <ul class="labels">
          {ids.map((id) => (
            <li key={id}>
              <bdi>{nameOf(id)}</bdi>
              <Button
                small
                quiet
                icon="close"
                label={`Remove ${nameOf(id)}`}
                onClick={() => onChange(ids.filter((one) => one !== id).join('\n'))}
              />
            </li>
          ))}
        </ul>
      )}
      <EntityPicker
        label="Add entity"
        value=""
        optional
        onChange={(id) => id !== '' && onChange([...new Set([...ids, id])].join('\n'))}
      />
    </GroupFrame>
  );
}
