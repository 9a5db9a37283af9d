import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createConformance } from '@berth/conformance';
import { SEED, type Subject } from './documents.ts';

/** What a suite found. */
interface Verdict {
  /** Names of the checks that failed. */
  readonly failed: readonly string[];
}

/** Checks a server; `undefined` if the suite does not accept the document. */
type Suite = (subject: Subject, url: string) => Promise<Verdict | undefined>;

/** The messages of the Dredd process: one order for each verdict. */
export interface DreddOrder {
  readonly file: string;
  readonly url: string;
}
export interface DreddVerdict extends Verdict {
  readonly error?: string;
}

/** Starts both suites. */
export function startSuites() {
  const child = fork(new URL('./dredd-child.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning', '--disable-warning=DEP0040'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => [{ error: `exit code ${code}` }]);
  const suites = {
    /** As its README describes, except that it skips the documented errors. */
    async dredd({ file30 }, url) {
      child.send({ file: file30, url } satisfies DreddOrder);
      const [verdict] = (await Promise.race([
        new Promise((resolve) => child.once('message', (message) => resolve([message]))),
        ended,
      ])) as [DreddVerdict];
      return verdict.error === undefined ? verdict : undefined;
    },
    async berth({ file }, url) {
      const report = await createConformance({
        ...{ document: file, url, allowWrites: true, seed: SEED },
      }).run();
      const failed = report.results.filter(
        ({ outcome }) => outcome === 'fail' || outcome === 'error',
      );
      return { failed: failed.map(({ id }) => id) };
    },
  } satisfies Record<string, Suite>;
  return {
    suites,
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
