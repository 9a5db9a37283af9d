import type { Draft, FileStore } from '../files/file-store.ts';
import type { Session } from '../session/session.ts';
import { Problem } from './problem.ts';
import { type ReadFile, readSnapshot } from './read-snapshot.ts';

/** More than what a file costs beside its bytes and its path. */
const ENTRY_BYTES = 1_024;

/**
 * Makes a session what it was when the snapshot was taken. The log of calls stays.
 *
 * @param snapshot as `takeSnapshot` made it, or what is said to be one
 * @throws FieldError for what is none, Problem 413 where the files do not fit; nothing is changed then
 */
export function restoreSnapshot(session: Session, snapshot: unknown): void {
  const { clock, files, faults, services } = readSnapshot(snapshot);
  replaceFiles(session.files, files);
  if (clock.frozen) session.clock.set(clock.now, { frozen: true });
  else if (clock.offset === 0) session.clock.reset();
  else session.clock.set(Date.now() + clock.offset);
  session.faults.restore(faults);
  session.services.clear();
  for (const [name, state] of services) session.services.set(name, state);
}

/** The new files are written before the old ones go, so that what does not fit changes nothing. */
function replaceFiles(store: FileStore, files: readonly ReadFile[]): void {
  const drafts: Draft[] = [];
  const draft = (bytes: Buffer): Draft => {
    const next = store.draft();
    drafts.push(next);
    if (next.append(bytes)) return next;
    for (const one of drafts) one.discard();
    throw new Problem(
      413,
      'The files do not fit beside those that there are: reset the files first, or raise maxStoreBytes.',
    );
  };
  const entries = files.reduce((sum, { key }) => sum + ENTRY_BYTES + Buffer.byteLength(key), 0);
  const reserve = draft(Buffer.alloc(entries));
  const written = files.map((file) => ({ file, draft: draft(file.bytes) }));
  store.clear();
  reserve.discard();
  for (const { file, draft } of written) draft.commit(file.key, file.contentType, file.modified);
}
