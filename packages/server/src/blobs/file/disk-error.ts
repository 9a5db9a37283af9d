import { StoreUnavailableError } from '../blob-store.ts';

/** Code of an error of the file system, such as `ENOENT`; undefined for any other. */
export function diskCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error
    ? String(error.code)
    : undefined;
}

/** Undefined for what is not there any more. */
export async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'The folder of the files is gone.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The quota of the disk is used up.',
  EFBIG: 'The file is larger than the disk or the process may have.',
  EIO: 'The disk fails.',
  EROFS: 'The disk is mounted read-only.',
  EACCES: 'The server may not use the folder of its files.',
  EPERM: 'The server may not use the folder of its files.',
  EMFILE: 'The process has too many files open.',
  ENFILE: 'The system has too many files open.',
  ELOOP: 'There is a symbolic link among the files; the store follows none.',
  ENAMETOOLONG: 'The folder of the files stands too deep for names as long as this.',
};

/** What a caller is told of a failure: those of the file system make the store unavailable. */
function toStoreError(error: unknown): unknown {
  const code = diskCodeOf(error);
  if (code === undefined) return error;
  const reason = REASONS[code] ?? 'The disk does not do what it is asked for.';
  return new StoreUnavailableError(`${reason} (${code})`, { cause: error });
}

/** Does the work, and translates its failures. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
}
