import { ShownOnce } from '#console/parts/shown-once.tsx';
import { firstCommand } from '#console/rules/keys.ts';
import type { IssuedKey } from '#lib/access/api-key.ts';

/** A key that was just made: the API tells it once. */
export const KeyShown = ({ of: key, onClose }: { of: IssuedKey; onClose: () => void }) => (
  <ShownOnce
    title={`The key ${key.label}`}
    texts={{ Key: key.key, 'A first call': firstCommand(key, location.origin) }}
    onClose={onClose}
  />
);
