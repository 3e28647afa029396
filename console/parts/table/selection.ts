import { useState } from 'preact/hooks';

export type Selection = {
  keys: ReadonlySet<string>;
  toggle(key: string): void;
  set(keys: Iterable<string>): void;
  clear(): void;
};

export function useSelection(): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    keys,
    toggle: (key) =>
      setKeys((old) => {
        const next = new Set(old);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    set: (wanted) => setKeys(new Set(wanted)),
    clear: () => setKeys(new Set()),
  };
}
