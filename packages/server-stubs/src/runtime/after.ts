/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Like `next(await value)`, but continues at once if there is nothing to wait for: a call whose handlers return no
 * promises takes no turn of the event loop.
 */
export function after<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Like `try { return await work(); } catch (error) { return recover(error); }`, without waiting for a value. */
export function attempt<Result>(
  work: () => MaybePromise<Result>,
  recover: (error: unknown) => MaybePromise<Result>,
): MaybePromise<Result> {
  try {
    const result = work();
    return isPromise(result) ? result.then(undefined, recover) : result;
  } catch (error) {
    return recover(error);
  }
}

/** Handlers may return the promises of any library. */
function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof (value as Partial<Promise<Value>> | undefined | null)?.then === 'function';
}
