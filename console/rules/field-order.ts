import type { Field } from '#console/api/records.ts';

/** Returns the fields whose `sort_order` changes when a field moves by one position. @param step -1: up, 1: down */
export function moved(fields: readonly Field[], name: string, step: -1 | 1): Field[] {
  const at = fields.findIndex((field) => field.name === name);
  const to = at + step;
  if (at < 0 || to < 0 || to >= fields.length) return [];
  const wanted = fields.with(at, fields[to]!).with(to, fields[at]!);
  const orders = fields.map((field) => field.sort_order);
  for (let i = 1; i < orders.length; i++) orders[i] = Math.max(orders[i]!, orders[i - 1]! + 1);
  return wanted.flatMap((field, i) => (field.sort_order === orders[i] ? [] : [{ ...field, sort_order: orders[i]! }]));
}
