/** Work by time; work at the same time keeps its order. */
export class Agenda {
  readonly #heap: { at: number; order: number; work: () => void }[] = [];
  #order = 0;
  now = 0;

  at(at: number, work: () => void): void {
    const heap = this.#heap;
    let i = heap.push({ at: Math.max(at, this.now), order: this.#order++, work }) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && this.#isBefore(i, parent); parent = (i - 1) >> 1) {
      [heap[i], heap[parent]] = [heap[parent]!, heap[i]!];
      i = parent;
    }
  }

  /** Runs all work up to a time. */
  until(end: number): void {
    const heap = this.#heap;
    while (heap.length > 0 && heap[0]!.at <= end) {
      const next = heap[0]!;
      const last = heap.pop()!;
      if (heap.length > 0) {
        heap[0] = last;
        for (let i = 0; ; ) {
          const [left, right] = [2 * i + 1, 2 * i + 2];
          let least = i;
          if (left < heap.length && this.#isBefore(left, least)) least = left;
          if (right < heap.length && this.#isBefore(right, least)) least = right;
          if (least === i) break;
          [heap[i], heap[least]] = [heap[least]!, heap[i]!];
          i = least;
        }
      }
      this.now = next.at;
      next.work();
    }
    this.now = end;
  }

  #isBefore(i: number, j: number): boolean {
    const [a, b] = [this.#heap[i]!, this.#heap[j]!];
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }
}
