import { useEffect, useMemo } from 'preact/hooks';
import { callPage } from '#console/api/call.ts';
import { makeFollower } from '#console/api/follow.ts';

/** Follows an execution while its page is open. @param id of the execution */
export function useExecution(id: string): ReturnType<typeof makeFollower> {
  const follower = useMemo(
    () =>
      makeFollower(
        {
          now: Date.now,
          after: (ms, run) => {
            const timer = setTimeout(run, ms);
            return () => clearTimeout(timer);
          },
          isHidden: () => document.hidden,
          get: callPage,
        },
        id,
      ),
    [id],
  );
  useEffect(() => {
    follower.poll();
    const onVisibilityChange = () => {
      if (!document.hidden && follower.isFollowing.peek()) follower.poll();
    };
    document.addEventListener('visibilitychange', onVisibilityChange);
    return () => {
      document.removeEventListener('visibilitychange', onVisibilityChange);
      follower.stop();
    };
  }, [follower]);
  return follower;
}
