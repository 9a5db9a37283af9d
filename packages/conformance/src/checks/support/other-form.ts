import type { CheckContext } from '../../context/check-context.ts';
import type { StorageOperation } from '../../context/storage-client.ts';
import type { StoredFile } from '../../context/upload-client.ts';
import { expectBytes, expectNothing, readPath, toCopyItems } from './storage.ts';

/** Returns the codes of files in a links call, by their IDs. */
async function areThere(t: CheckContext, ...files: StoredFile[]): Promise<boolean[]> {
  const ids = files.map(({ fileId }) => fileId);
  const fileList = ids.map((fileID) => ({ fileID }));
  const entries = await t.storage.list('batchGetTempUrls', fileList);
  return ids.map((id) => entries.some(({ fileID, code }) => fileID === id && code === 'SUCCESS'));
}

/** Makes calls in the form that a run does not use otherwise, if the deployment accepts both. */
export async function expectFormsAlike(t: CheckContext): Promise<void> {
  t.apply(t.settings.requestForm === undefined, 'only the form in --request-form is checked');
  const call = (operation: StorageOperation, fields: object) =>
    t.storage.call(operation, fields, { isOtherForm: true, acceptsRefusal: true });
  const path = t.storage.path('form.txt');
  const grant = await call('getUploadMetaData', { path });
  if (grant.refused) {
    t.expect(true, 'there is no other form');
    return t.note('The deployment accepts only one form of requests.');
  }
  const form = JSON.stringify(t.storage.body({}, true)).includes('data')
    ? 'inside data'
    : 'at the top level';
  const given = await t.upload.grant(path, true);
  const bytes = Buffer.from('uploaded with a grant from the other form');
  const reply = await t.upload.post(given, t.upload.fields(given, bytes));
  const stored = `getUploadMetaData ${form}: a form with the grant must be stored at the path`;
  t.expect(reply.isAccepted, `${stored}, but the response was ${reply.received.status}`, reply);
  expectBytes(t, await readPath(t, path), bytes, `getUploadMetaData ${form}: the file`);

  const copied = await t.upload.store('copied.txt');
  const moved = await t.upload.store('moved.txt');
  const kept = await t.upload.store('kept.txt');
  const [copyPath, movePath] = [`${copied.path}.copy`, `${moved.path}.moved`];
  const items = toCopyItems(t, [
    { from: copied.path, to: copyPath },
    { from: moved.path, to: movePath, removeOriginal: true },
    { from: copied.path, to: kept.path, overwrite: false },
  ]);
  const copies = await call('batchCopyFile', { fileList: items });
  if (copies.refused) return t.note('Only one form of copy calls is accepted.');
  const what = `batchCopyFile ${form}`;
  expectBytes(t, await readPath(t, copyPath), copied.bytes, `${what}: the first destination`);
  expectBytes(t, await readPath(t, movePath), moved.bytes, `${what}: the second destination`);
  expectNothing(t, await t.upload.read(moved.fileId), `${what}: the source of the move`);
  const unchanged = `${what}: the existing destination of an item with overwrite false`;
  expectBytes(t, await t.upload.read(kept.fileId), kept.bytes, unchanged);

  const ids = [copied, kept].map(({ fileId }) => fileId);
  const links = await call('batchGetTempUrls', { fileList: ids.map((fileID) => ({ fileID })) });
  if (links.refused) return t.note('Only one form of calls for links is accepted.');
  const entries: unknown[] = [links.data?.fileList ?? []].flat();
  const linked = entries.map(Object).filter(({ code }) => code === 'SUCCESS').length;
  t.expect(
    linked === 2,
    `batchGetTempUrls ${form}: both files must get links, not ${linked}`,
    links,
  );
  const empty = await call('batchDelete', {});
  t.expect(empty.refused, `batchDelete ${form} without fileList must be rejected`, empty);
  const deletion = await call('batchDelete', { fileList: ids });
  if (deletion.refused) return t.note('Only one form of deletions is accepted.');
  const left = (await areThere(t, copied, kept)).filter(Boolean).length;
  t.expect(
    left === 0,
    `batchDelete ${form}: both files must be deleted, but ${left} exist`,
    deletion,
  );
}
