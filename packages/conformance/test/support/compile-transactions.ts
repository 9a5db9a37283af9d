import Dredd, { type DreddDescription } from 'dredd';

/** Returns what Dredd makes of a document: its warnings, and the transactions that it would run. */
export function compileTransactions(document: object): Promise<DreddDescription> {
  const dredd = new Dredd({
    endpoint: 'http://localhost',
    apiDescriptions: [JSON.stringify(document)],
    loglevel: 'silent',
  });
  return new Promise((resolve, reject) => {
    dredd.prepareAPIdescriptions((error, [description] = []) => {
      if (description) resolve(description);
      else reject(error);
    });
  });
}
