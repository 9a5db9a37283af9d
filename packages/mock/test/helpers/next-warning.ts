import { once } from 'node:events';

/** Resolves with the next warning, which says why a service or a file is invalid. */
export async function nextWarning(): Promise<string> {
  const [warning] = (await once(process, 'warning')) as [Error];
  return warning.message;
}
