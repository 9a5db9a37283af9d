/**
 * A copy of the gateway's document in which the operations that take any query are marked as passed
 * through: request and answer belong to the hosted service, and are streams to a handler.
 */
export function toPassThrough<T extends { readonly paths: object }>(document: T): T {
  return {
    ...document,
    paths: mapValues(document.paths, (item) =>
      mapValues(item, (operation) =>
        'x-berth-free-query' in operation
          ? { ...operation, 'x-berth-pass-through': true }
          : operation,
      ),
    ),
  };
}

function mapValues(object: object, map: (value: object) => unknown): object {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null && !Array.isArray(value) ? map(value) : value,
    ]),
  );
}
