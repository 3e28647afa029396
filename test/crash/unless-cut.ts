/**
 * The answer; undefined when the connection broke, as nothing was promised then. Anything else that is wrong throws.
 */
export async function unlessCut<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    // fetch says every fault of the connection so.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
