/** Replaces the endpoint cache of the SDK (`mnemonist`), which is large and rarely used with DynamoDB. */
export default class PlainCache<Value> extends Map<string, Value> {
  constructor(_capacity: number) {
    super();
  }

  peek(key: string): Value | undefined {
    return this.get(key);
  }
}
