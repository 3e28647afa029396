/**
 * Replaces the cache (`mnemonist`) of discovered endpoints in the SDK, which is larger than most modules here.
 * Endpoints of DynamoDB are discovered only if the environment enables it, and are few.
 */
export default class PlainCache<Value> extends Map<string, Value> {
  /** The first argument of the original is a capacity. */
  constructor(_capacity: number) {
    super();
  }

  peek(key: string): Value | undefined {
    return this.get(key);
  }
}
