import { stopAll } from './start-process.ts';

/** Exit codes of a process that a signal has ended: 128 and its number. */
const CODES = { SIGINT: 130, SIGTERM: 143 };

/**
 * On SIGINT and SIGTERM ends all processes that the bench has started, and then the bench itself.
 *
 * @returns aborted as soon as a signal has come: what breaks off from then on has not failed
 */
export function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const [name, code] of Object.entries(CODES)) {
    process.on(name, async () => {
      // Terminals and npm often send one signal twice: to the group, and to the process.
      if (controller.signal.aborted) return;
      controller.abort();
      await stopAll();
      process.exit(code);
    });
  }
  return controller.signal;
}
