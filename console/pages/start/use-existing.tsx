import { Button } from '#console/parts/button.tsx';

/** Offers existing records instead of a new one. */
export function UseExisting<T extends { id: string }>({
  with: found,
  nameOf,
  onChoose,
}: {
  with: readonly T[] | undefined;
  nameOf: (one: T) => string;
  onChoose: (one: T) => void;
}) {
  if (!found?.length) return null;
  return (
    <p class="row-actions go-on">
      Existing:
      {found.slice(0, SHOWN).map((one) => (
        <Button key={one.id} small onClick={() => onChoose(one)}>
          Use {nameOf(one)}
        </Button>
      ))}
    </p>
  );
}

const SHOWN = 5;
