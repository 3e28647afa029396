import type { Settings } from '#lib/settings.ts';
import type { Store } from './store.ts';

const FIXED = ['SHARDS', 'BUCKETS'] as const;

/** Stores the numbers of partitions of a new store. Later rejects other numbers, because data would be unreachable. */
export function keepLayout({ db }: Store, settings: Settings): void {
  for (const setting of FIXED) {
    db.prepare('INSERT OR IGNORE INTO layout (setting, value) VALUES (?, ?)').run(setting, settings[setting]);
    const kept = db.prepare('SELECT value FROM layout WHERE setting = ?').get(setting)!.value;
    if (kept !== settings[setting]) {
      throw new Error(
        `This data was created with ${setting}=${kept}, which cannot change to ${settings[setting]}. Set it back.`,
      );
    }
  }
}
