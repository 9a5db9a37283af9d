import { type Pointer, Problems } from '../../generator/document.ts';

import { readModel } from '../../generator/operations/read-model.ts';
import type { Direction } from '../../generator/schema/schema-store.ts';
import type { Case } from './judge.ts';

/** A case, and the location of its validator's schema. */
export type LocatedCase = Case & { readonly schema: Pointer };

/** Turns values by schema into cases for a route table's JSON body validators. */
export function routeCases(
  document: unknown,
  direction: Direction,
  module: string,
  values: ReadonlyMap<Pointer, unknown[]>,
): LocatedCase[] {
  const { operations } = readModel(document, new Problems());
  return operations.flatMap((operation, index) =>
    direction === 'request'
      ? (operation.body?.contents ?? []).flatMap(({ pointer, kind }, at) =>
          toCase(pointer, kind, [index, 'body', 'content', at]),
        )
      : operation.responses.flatMap(({ contents }, response) =>
          contents.flatMap(({ pointer, kind }, at) =>
            toCase(pointer, kind, [index, 'responses', response, 'content', at]),
          ),
        ),
  );

  function toCase(schema: Pointer, kind: string, path: (string | number)[]): LocatedCase[] {
    const found = values.get(schema);
    if (found === undefined || kind !== 'json') return [];
    return [{ module, schema, values: found, path: ['routes', 'routes', ...path, 'validate'] }];
  }
}
