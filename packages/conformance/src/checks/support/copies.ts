import type { CheckContext } from '../../context/check-context.ts';
import type { Entry } from '../../context/storage-client.ts';

/** One copy, with cloud paths. */
export interface CopyOrder {
  from: string;
  to: string;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

/** A path that a file may have; what no file may have is not looked for at the end of the run. */
const PATH = /^[\w/!.,*\u4e00-\u9fff-]+$/;

/** Items of a copy call; the destinations are removed at the end of the run. */
export function toCopyItems(t: CheckContext, orders: readonly CopyOrder[]): object[] {
  return orders.map(({ from, to, ...rest }) => {
    if (PATH.test(to)) t.upload.track(to);
    return { srcPath: t.storage.copyPath(from), dstPath: t.storage.copyPath(to), ...rest };
  });
}

/** Copies; where the answer has not one entry for each, the check is not reached. */
export function copy(t: CheckContext, ...orders: CopyOrder[]): Promise<Entry[]> {
  return t.storage.list('batchCopyFile', toCopyItems(t, orders));
}

/**
 * Whether an entry of a copy answer tells of a failure. How it is to tell is for `ST-COPY-FAILED` and
 * `ST-COPY-SUCCEEDED`.
 */
export function hasFailed({ code, message }: Entry): boolean {
  if (code === 'SUCCESS') return false;
  return [code, message].some((value) => value !== undefined && value !== null && value !== '');
}

/** Whether a file is there, asked without a link: a copy of it succeeds. */
export async function canBeCopied(t: CheckContext, path: string): Promise<boolean> {
  const [entry] = await copy(t, { from: path, to: `${path}.${t.uniqueName()}` });
  return entry !== undefined && !hasFailed(entry);
}
