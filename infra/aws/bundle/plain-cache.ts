/** Replaces the endpoint cache of the SDK (`mnemonist`), which is large and rarely used with DynamoDB. */
export default class PlainCache<Value> extends Map<string, Value> {
  /** The first argument of the original is a capacity. */
  constructor(_capacity: number) {
    super();
  }

  peek(key: string): Value | undefined {
    return this.get(key);
  }
}
