import type { VirtualService } from './virtual-service.ts';

/** At each time the target shop.test does so from then on. */
export type Story = [time: string, manner: 'answers' | 'fails'][];

/** Lets time pass through a story, until a time of day. */
export async function live(service: VirtualService, story: Story, until: string): Promise<void> {
  for (const [time, manner] of story) {
    await service.until(time);
    service.host('shop.test').does(manner);
  }
  await service.until(until);
}
