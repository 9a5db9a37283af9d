import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ConformanceOptions } from '@berth/conformance';

const SERVE = new URL('./serve.ts', import.meta.url);
const PRELOAD = new URL('./load-instrumented.ts', import.meta.url);

/** The same requests in each run. */
export const SEED = 1;

/** A server that takes longer to start counts as one that does not start. */
const START_MILLISECONDS = 60_000;

/** How often each mutant was reached: while no test ran, and during each test. */
export interface Coverage {
  static: Record<string, number>;
  perTest: Record<string, Record<string, number>>;
}

/** The message to the server's process: what happens from now on belongs to this test. */
export interface Begin {
  test: string;
}

/** The message from it when it listens, and after each `Begin`. */
export interface Ready {
  options: ConformanceOptions;
  coverage: Coverage;
}

export interface InstrumentedServer {
  options: ConformanceOptions;
  /** Begins a test, and returns what earlier ones have reached. */
  begin(test: string): Promise<Coverage>;
  close(): Promise<void>;
}

/** What the servers of a run share. */
export interface Place {
  /** File with the instrumented sources. */
  sources: string;
  /** URL of the fixture service. */
  fixtureUrl: string;
  /** Folder for its files, which the caller removes: a server with a mutant may not be able to. */
  folder: string;
}

/**
 * Starts the reference server from the instrumented sources.
 *
 * @param active ID of the active mutant. Default: none
 * @returns `undefined` if the server does not start
 */
export async function startInstrumented(
  { sources, fixtureUrl, folder }: Place,
  active?: string,
): Promise<InstrumentedServer | undefined> {
  const child = fork(SERVE, {
    execArgv: ['--conditions=berth-source', `--import=${PRELOAD}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      ...process.env,
      TMPDIR: folder,
      BERTH_INSTRUMENTED: sources,
      BERTH_FIXTURE: fixtureUrl,
      ...(active === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: active }),
    },
  });
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const signal = AbortSignal.timeout(START_MILLISECONDS);
  const first = await Promise.race([
    once(child, 'message', { signal }).catch(() => undefined),
    ended.then(() => undefined),
  ]);
  if (first === undefined) {
    await close();
    return undefined;
  }
  const [{ options }] = first as [Ready];
  return {
    options,
    close,
    async begin(test) {
      child.send({ test } satisfies Begin);
      const [{ coverage }] = (await once(child, 'message')) as [Ready];
      return coverage;
    },
  };
}
