export type NullObject = Record<string, unknown>;

const Constructor = function NullObject() {} as unknown as new () => NullObject;
Constructor.prototype = Object.freeze(Object.create(null));

/**
 * Creates an object with an empty prototype, so that callers may send any name, even `__proto__` or `constructor`. V8
 * keeps it in fast mode, unlike the result of `Object.create(null)`.
 */
export function createNullObject(): NullObject {
  return new Constructor();
}
