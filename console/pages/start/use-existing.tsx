import { Button } from '#console/parts/button.tsx';

/** What is there already and would do: one need not make another. */
export function GoOn<T extends { id: string }>({
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
      There already:
      {found.slice(0, SHOWN).map((one) => (
        <Button key={one.id} small onClick={() => onChoose(one)}>
          Go on with {nameOf(one)}
        </Button>
      ))}
    </p>
  );
}

const SHOWN = 5;
