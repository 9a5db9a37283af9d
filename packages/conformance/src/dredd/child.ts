import Dredd from 'dredd';
import type { Compiled } from './compile.ts';

/*
 * Lets Dredd compile documents in a child process, because it takes seconds, writes to the console and keeps
 * global loggers. Dredd's requests and comparisons, which are both too lenient and too strict, are not used.
 */
process.once('message', (apiDescriptions: string[]) => {
  const dredd = new Dredd({ endpoint: 'http://localhost', apiDescriptions, loglevel: 'silent' });
  dredd.prepareAPIdescriptions((error, descriptions = []) => {
    const message: Compiled = {
      ...(error && { error: error.message }),
      warnings: descriptions.flatMap(({ annotations }) => annotations.map((each) => each.message)),
      drafts: descriptions.flatMap(({ transactions }) =>
        transactions.map(({ origin, request: { method, headers, body }, response }) => ({
          title: origin.apiName,
          // The summaries in the copy are operationIds.
          operationId: origin.actionName,
          copyStatus: response.status,
          contentType: response.headers.find(({ name }) => name === 'Content-Type')?.value ?? '',
          headers: headers.map(({ name, value }) => [name, value] as const),
          ...{ method, body },
        })),
      ),
    };
    process.send?.(message, () => process.disconnect());
  });
});
