/** Checks of what users pass: JavaScript users should find out about a mistake at startup, not from the first request. */

export function assertFunction(value: unknown, name: string): void {
  if (typeof value === 'function') return;
  throw new TypeError(`${name} is missing: it must be a function.`);
}

export function assertLimit(value: unknown, name: string): void {
  if (typeof value === 'number' && value >= 0) return;
  throw new TypeError(`${name} must be a number of at least 0.`);
}

/** The names of all members of a type. */
export function namesOf<Type>(names: Record<keyof Type, true>): (keyof Type & string)[] {
  return Object.keys(names) as (keyof Type & string)[];
}

/** @throws TypeError if an object has a member with another name, such as a misspelled one, which nothing would read */
export function assertNames(path: string, object: object, names: readonly string[]): void {
  const unknown = Object.keys(object).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${path}.${unknown} does not exist. Use ${names.join(', ')}.`);
}

/** Members of other types may belong to a class whose methods are the handlers. */
export function assertHandlerNames(handlers: object, names: readonly string[]): void {
  const functions = Object.entries(handlers).filter(([, value]) => typeof value === 'function');
  assertNames('handlers', Object.fromEntries(functions), names);
}

/** Finds a handler by name. It may be a method of a class, but not one that every object has, such as `toString`. */
export function findHandler<Handler>(
  handlers: Readonly<Record<string, Handler | undefined>>,
  name: string,
): Handler | undefined {
  const handler = handlers[name];
  const inherited: unknown = Reflect.get(Object.prototype, name);
  if (typeof handler !== 'function' || handler === inherited) return undefined;
  return handler.bind(handlers);
}
