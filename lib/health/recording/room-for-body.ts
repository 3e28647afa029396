import type { Clock } from '#lib/platform/ports.ts';
import type { FairShares } from '#lib/platform/sharing/fair-shares.ts';

/**
 * Room for the large body of one probe, among the places that a process has for those: from when the probe asks for it
 * until it ends.
 */
export class RoomForBody {
  readonly #places: FairShares;
  readonly #tenant: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #over = Promise.withResolvers<void>();
  #asked_at: number | undefined;
  #entered_at: number | undefined;

  constructor(places: FairShares, tenant: string, clock: Pick<Clock, 'now'>) {
    this.#places = places;
    this.#tenant = tenant;
    this.#clock = clock;
  }

  /** Waits for room; for good where there is none in time, as its deadline ends the probe. */
  readonly enter = (): Promise<void> => {
    this.#asked_at = this.#clock.now();
    return new Promise((resolve) => {
      void this.#places.run({ tenant: this.#tenant }, () => {
        this.#entered_at = this.#clock.now();
        resolve();
        return this.#over.promise;
      });
    });
  };

  /** Gives it back. @returns how long it was waited for (ms) */
  leave(): number {
    this.#over.resolve();
    return this.#asked_at === undefined ? 0 : (this.#entered_at ?? this.#clock.now()) - this.#asked_at;
  }
}
