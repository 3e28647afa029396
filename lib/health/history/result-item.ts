import type { ErrorKind } from '#lib/checks/check-type.ts';
import type { Item } from '#lib/platform/ports.ts';

/**
 * One result, about 300 bytes, under its check at `R#<ms>#<tail>`. Of a probe: its slot (or the last change of
 * settings, if later) and settings revision; of a synthetic failure: its deadline; of a push: its instant and key. Put
 * once, on `absent`; its id follows from its key.
 */
export type ResultItem = Item & {
  status_code: number;
  latency_ms: number;
  success: boolean;
  error_message: string;
  error_kind: ErrorKind | null;
  /** ISO 8601. */
  checked_at: string;
  /** tls: whole days until the certificate expires. */
  days_left?: number;
  /** Push: epoch ms of its arrival. */
  received_at?: number;
  /** Written in one transaction with what it changed; a repeat of it is done. */
  settled?: true;
  /** Never judged: too old, obtained with older settings, or the check was disabled. */
  history?: true;
};

/** How far (ms) the clock of an agent may be ahead of ours (docs/CONTRACT.md#pushes): nothing is ordered later. */
export const AHEAD_MS = 60_000;

/** Epoch ms by which results of a check are ordered. */
export const orderOf = (item: ResultItem): number => Number(item.sk.slice(2, 15));
