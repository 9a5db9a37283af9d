import type { Operation } from './operations.ts';
import { toFlatSchema } from './unwrap.ts';

/**
 * The patterns that hold for each item of a batch and not for the call (`x-berth-item-pattern`), by
 * the name of the item's field. A value that does not match fails its item alone.
 */
export function itemPatternsOf(operations: readonly Operation[], id: string): Map<string, RegExp> {
  const body = operations.find((operation) => operation.id === id)?.body;
  const lists = Object.values(body ? (toFlatSchema(body).properties ?? {}) : {});
  const fields = lists.flatMap((list) => Object.entries(list.items?.properties ?? {}));
  return new Map(
    fields.flatMap(([name, { 'x-berth-item-pattern': pattern }]) =>
      pattern === undefined ? [] : [[name, new RegExp(pattern, 'u')] as const],
    ),
  );
}
