import type { Earlier } from '../report/compare.ts';
import { StartError } from '../start-error.ts';
import { readJsonFile } from './read-file.ts';

/**
 * The results of an earlier JSON report.
 *
 * @throws StartError where the file is no report of this suite
 */
export async function readEarlier(file: string): Promise<Earlier> {
  const report = Object(await readJsonFile(file, '--compare'));
  const earlier = Object(Object(report.extra).berth) as Partial<Earlier>;
  const isList = Array.isArray(earlier.results) && earlier.results.every((each) => each?.id);
  if (isList && typeof earlier.startedAt === 'string') return earlier as Earlier;
  throw new StartError(`The file of --compare is no JSON report of this suite: ${file}.`);
}
