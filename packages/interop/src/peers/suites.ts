import { readFile } from 'node:fs/promises';
import { createConformance } from '@berth/conformance';
import { runInChild } from '../../../proof/src/peers/run-dredd.ts';
import { SEED, type Subject } from './documents.ts';

/** Returns the names of the checks that failed; `undefined` if the suite does not accept the document. */
type Suite = (subject: Subject, url: string) => Promise<readonly string[] | undefined>;

export const SUITES = {
  /** As its README describes, except that it skips the documented errors. */
  async dredd({ file30 }, endpoint) {
    const documents = [await readFile(file30, 'utf8')];
    const none = { headers: {}, gatewayHeaders: {}, service: '' };
    const { failed, error } = await runInChild({ documents, endpoint, ...none });
    return error === undefined ? failed : undefined;
  },
  async berth({ file }, url) {
    const options = { document: file, url, allowWrites: true, seed: SEED };
    const { results } = await createConformance(options).run();
    const failed = results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error');
    return failed.map(({ id }) => id);
  },
} satisfies Record<string, Suite>;
