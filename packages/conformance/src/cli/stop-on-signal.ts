/** Terminals and npm often send one signal twice: to the group, and to the process. */
const ECHO_MILLISECONDS = 500;
/** Exit code of a process that a signal has ended: 128 and the number of SIGINT. */
const INTERRUPTED = 130;

/** A signal that SIGINT or SIGTERM aborts; one that comes after its echo ends the process at once. */
export function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  let since = 0;
  const stop = () => {
    if (controller.signal.aborted && performance.now() - since > ECHO_MILLISECONDS) {
      process.exit(INTERRUPTED);
    }
    if (controller.signal.aborted) return;
    since = performance.now();
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}
