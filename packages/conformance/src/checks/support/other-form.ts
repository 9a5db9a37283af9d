import type { CheckContext } from '../../context/check-context.ts';
import type { StorageOperation } from '../../context/storage-client.ts';
import { areThere, expectAt, expectBytes, expectNothing, toCopyItems } from './storage.ts';

/** Makes calls in the form that a run does not use otherwise, if the deployment accepts both. */
export async function expectFormsAlike(t: CheckContext): Promise<void> {
  t.apply(t.settings.requestForm === undefined, 'only the form in --request-form is checked');
  const call = (operation: StorageOperation, fields: object) =>
    t.storage.call(operation, fields, { isOtherForm: true, acceptsRefusal: true });
  const path = t.storage.path('form.txt');
  if ((await call('getUploadMetaData', { path })).refused) {
    t.expect(true, 'there is no other form');
    return t.note('The deployment accepts only one form of requests.');
  }
  const form = t.storage.body({}, true).includes('data') ? 'inside data' : 'at the top level';
  const given = await t.upload.grant(path, true);
  const bytes = Buffer.from('uploaded with a grant from the other form');
  const reply = await t.upload.post(given, t.upload.fields(given, bytes));
  const stored = `getUploadMetaData ${form}: a form with the grant must be stored at the path`;
  t.expect(reply.isAccepted, `${stored}, but the response was ${reply.received.status}`, reply);
  await expectAt(t, path, bytes, `getUploadMetaData ${form}: the file`);

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
  await expectAt(t, copyPath, copied.bytes, `${what}: the first destination`);
  await expectAt(t, movePath, moved.bytes, `${what}: the second destination`);
  expectNothing(t, await t.upload.read(moved.fileId), `${what}: the source of the move`);
  const unchanged = `${what}: the existing destination of an item with overwrite false`;
  expectBytes(t, await t.upload.read(kept.fileId), kept.bytes, unchanged);

  const ids = [copied, kept].map(({ fileId }) => fileId);
  const links = await call('batchGetTempUrls', { fileList: ids.map((fileID) => ({ fileID })) });
  if (links.refused) return t.note('Only one form of calls for links is accepted.');
  const linked = links.entries?.filter(({ code }) => code === 'SUCCESS').length;
  const both = `batchGetTempUrls ${form}: both files must get links, not ${linked}`;
  t.expect(linked === 2, both, links);
  const empty = await call('batchDelete', {});
  t.expect(empty.refused, `batchDelete ${form} without fileList must be rejected`, empty);
  const deletion = await call('batchDelete', { fileList: ids });
  if (deletion.refused) return t.note('Only one form of deletions is accepted.');
  const isLeft = (await areThere(t, ids)).includes(true);
  t.expect(!isLeft, `batchDelete ${form}: both files must be deleted`, deletion);
}
