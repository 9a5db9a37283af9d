/** Terminals, npm and process managers often send one signal twice: to the group, and to the process. */
const ECHO_MILLISECONDS = 500;

/** Calls `stop` on SIGINT or SIGTERM, once. A signal that comes later than that one's echo ends the process. */
export function stopOnSignal(stop: (signal: string) => void): void {
  let since: number | undefined;
  const onSignal = (signal: string) => {
    if (since === undefined) {
      since = performance.now();
      stop(signal);
    } else if (performance.now() - since > ECHO_MILLISECONDS) {
      process.exit(1);
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}
