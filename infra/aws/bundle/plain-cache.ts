/**
 * Takes the place of the cache (`mnemonist`) in which the SDK keeps discovered endpoints, which is larger than most of
 * our own modules. DynamoDB's are not discovered unless the environment asks for it, and are few then.
 */
export default class PlainCache<Value> extends Map<string, Value> {
  /** Its first argument is a capacity. */
  constructor(_capacity: number) {
    super();
  }

  peek(key: string): Value | undefined {
    return this.get(key);
  }
}
