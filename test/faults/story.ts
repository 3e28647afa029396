import type { VirtualService } from './virtual-service.ts';

/** Behaviors of the target shop.test, each with the time of day at which it starts. */
export type Story = [time: string, manner: 'answers' | 'fails'][];

/** Runs a story until a time of day. */
export async function playStory(service: VirtualService, story: Story, until: string): Promise<void> {
  for (const [time, manner] of story) {
    await service.until(time);
    service.host('shop.test').does(manner);
  }
  await service.until(until);
}
