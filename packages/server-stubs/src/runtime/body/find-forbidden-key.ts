/**
 * A key of a parsed JSON value that reaches a prototype: `__proto__`, or `constructor` with `prototype`
 * inside. The value must not nest deeper than the stack allows.
 */
export function findForbiddenKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return findInList(value);
  if (Object.hasOwn(value, '__proto__')) return '__proto__';
  if (Object.hasOwn(value, 'constructor') && hasPrototype(value.constructor)) return 'constructor';
  return findInList(Object.values(value));
}

function findInList(list: readonly unknown[]): string | undefined {
  for (const item of list) {
    const key = findForbiddenKey(item);
    if (key !== undefined) return key;
  }
  return undefined;
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
