import { live } from '#console/app/live.ts';
import { entityHref } from '#console/rules/catalog.ts';

/** An entity, with the way there while it is there. @param name as it was called; left out: as it is called now */
export function EntityName({ id, name }: { id: string; name?: string | null }) {
  const entity = live.fleet.value?.get(id);
  if (!entity) return <strong dir="auto">{name || id}</strong>;
  return (
    <a href={entityHref(entity)} dir="auto">
      {name || entity.name}
    </a>
  );
}
