import { StartError } from '../start-error.ts';

/**
 * The file of `--report json=FILE`, or `undefined` without the option.
 *
 * @throws StartError for another kind of report
 */
export function parseReport(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const [, file] = /^json=(.+)$/s.exec(value) ?? [];
  if (file === undefined) throw new StartError('--report must be json=FILE.');
  return file;
}
