import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { reporters } from '../report/reporters.ts';
import type { Report } from '../report/to-report.ts';
import { StartError } from '../start-error.ts';
import type { WantedReport } from './parse-reports.ts';

/**
 * Tells before a run whether its reports can be written after it.
 *
 * @throws StartError that names the file
 */
export async function assertWritable(reports: readonly WantedReport[]): Promise<void> {
  for (const { kind, file } of reports) {
    const part = toPart(file);
    try {
      const { isDirectory } = await stat(file).then(
        (found) => ({ isDirectory: found.isDirectory() }),
        () => ({ isDirectory: false }),
      );
      if (isDirectory) throw Object.assign(new Error(), { code: 'EISDIR' });
      await (await open(part, 'wx')).close();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new StartError(`--report ${kind}=${file} cannot be written (${code}).`);
    } finally {
      await rm(part, { force: true }).catch(() => {});
    }
  }
}

/** Writes each report in one step, so that nobody reads half of one. */
export async function writeReports(
  reports: readonly WantedReport[],
  report: Report,
): Promise<void> {
  for (const { kind, file } of reports) {
    const part = toPart(file);
    try {
      await writeFile(part, reporters[kind](report), { flag: 'wx' });
      await rename(part, file);
    } finally {
      await rm(part, { force: true }).catch(() => {});
    }
  }
}

/** In the same folder, for a rename does not cross file systems. */
function toPart(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomUUID()}.part`);
}
