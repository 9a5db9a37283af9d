/**
 * Makes a function that runs once however many callers wait for it, and again for those after them,
 * also if it failed.
 */
export function singleFlight<Argument, Value>(
  run: (argument: Argument) => Promise<Value>,
): (argument: Argument) => Promise<Value> {
  let pending: Promise<Value> | undefined;
  return (argument) => {
    pending ??= run(argument).finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
