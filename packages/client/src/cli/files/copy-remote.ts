import { posix } from 'node:path';
import type { CpOptions } from '../commands/add-cp.ts';
import { inParallel } from '../in-parallel.ts';
import { report, toOutcomes } from '../outcome.ts';
import { openStorage } from '../settings/open-storage.ts';
import { assertDistinct } from './assert-distinct.ts';
import { toRemotePath } from './remote.ts';
import { toFilePath } from './to-file-id.ts';

/** Copies files within the storage; nothing is downloaded. */
export async function copyRemote(
  from: readonly string[],
  to: string,
  options: CpOptions,
  signal: AbortSignal,
): Promise<void> {
  const target = toRemotePath(to);
  const isFolder = from.length > 1 || target === '' || target.endsWith('/');
  const folder = target === '' || target.endsWith('/') ? target : `${target}/`;
  const pairs = from.map((name) => {
    const path = toFilePath(name);
    return [path, isFolder ? folder + posix.basename(path) : target] as const;
  });
  assertDistinct(pairs.map(([, path]) => path));
  const storage = await openStorage(options);
  const results = await inParallel(pairs, async ([source, path]) => {
    const { fileID } = await storage.copy(`/${source}`, `/${path}`, { signal });
    return { result: options.quiet ? undefined : fileID, more: { path, fileID } };
  });
  report(toOutcomes(from, results), options, 'were not copied');
}
