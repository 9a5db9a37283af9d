/**
 * An object whose prototype is empty: `__proto__` and `constructor` are names like any other. V8 keeps
 * its properties in fast mode, unlike those of `Object.create(null)`.
 */
export interface NullObject {
  [name: string]: unknown;
}

const Constructor = function NullObject() {} as unknown as new () => NullObject;
Constructor.prototype = Object.freeze(Object.create(null));

export function createNullObject(): NullObject {
  return new Constructor();
}
