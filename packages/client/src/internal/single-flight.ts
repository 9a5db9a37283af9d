/** Makes concurrent callers share one run of a function. Later callers run it again, even after a failure. */
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
