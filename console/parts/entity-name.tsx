import { live } from '#console/app/live.ts';
import { entityHref } from '#console/rules/catalog.ts';

/** Link to an entity; plain text if it was deleted. @param name recorded name; default: the current name */
export function EntityName({ id, name }: { id: string; name?: string | null }) {
  const entity = live.fleet.value?.get(id);
  if (!entity) return <strong dir="auto">{name || id}</strong>;
  return (
    <a href={entityHref(entity)} dir="auto">
      {name || entity.name}
    </a>
  );
}
