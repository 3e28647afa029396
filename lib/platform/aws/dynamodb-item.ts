import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '#lib/platform/ports.ts';

/** An item or a key as DynamoDB writes it. */
export type Attributes = Record<string, AttributeValue>;

/** Doubles go out and come back as they are: 17 digits, where DynamoDB keeps 38. */
export const toAttributes = (item: object): Attributes => marshall(item, { allowImpreciseNumbers: true });

export const fromAttributes = <T extends Item>(attributes: Attributes): T =>
  unmarshall(attributes, { wrapNumbers: Number }) as T;
