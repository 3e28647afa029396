/**
 * Resolves with the response; undefined if the connection broke, because nothing was acknowledged then. Throws other
 * errors.
 */
export async function unlessCut<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending;
  } catch (error) {
    // fetch reports every connection error in this way.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
