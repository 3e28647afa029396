import { ShownOnce } from '#console/parts/shown-once.tsx';
import { firstCommand } from '#console/rules/keys.ts';
import type { IssuedKey } from '#lib/access/api-key.ts';

/** Shows a new key, which the API returns only once. */
export const KeyShown = ({ of: key, onClose }: { of: IssuedKey; onClose: () => void }) => (
  <ShownOnce
    title={`Key ${key.label}`}
    texts={{ Key: key.key, 'Example request': firstCommand(key, location.origin) }}
    onClose={onClose}
  />
);
