import { Failure } from '../failure.ts';

const REMOTE = 'remote:';
/** "`fileID` = `cloud://<envId>.<bucket>/<path>`" (D23). */
const FILE_ID = /^[a-z][a-z\d+.-]*:\/\//i;

export function isRemote(text: string): boolean {
  return text.startsWith(REMOTE);
}

export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}

/**
 * The cloud path of `remote:/path`, without its leading slash.
 *
 * @throws Failure where it is none
 */
export function toRemotePath(text: string): string {
  const path = text.slice(REMOTE.length);
  if (isRemote(text) && path.startsWith('/')) return path.slice(1);
  const example = isFileId(text) ? 'path' : (isRemote(text) ? path : text).replace(/^[./]+/, '');
  throw new Failure(`${text} is no path of the storage: write ${REMOTE}/${example}`, 2);
}
