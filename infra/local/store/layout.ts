import type { Settings } from '#lib/settings.ts';
import type { Store } from './store.ts';

const FIXED = ['SHARDS', 'BUCKETS'] as const;

/**
 * Notes on a first start how many partitions there are, and refuses other numbers later: half of the data would lie
 * where nobody looks.
 */
export function keepLayout({ db }: Store, settings: Settings): void {
  for (const setting of FIXED) {
    db.prepare('INSERT OR IGNORE INTO layout (setting, value) VALUES (?, ?)').run(setting, settings[setting]);
    const kept = db.prepare('SELECT value FROM layout WHERE setting = ?').get(setting)!.value;
    if (kept !== settings[setting]) {
      throw new Error(`This data was begun with ${setting}=${kept} and stays so; ${settings[setting]} was asked for.`);
    }
  }
}
