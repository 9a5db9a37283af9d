import type { Trial } from '../../trial/trial.ts';

/** Whether a form is stored that goes to the host of the returned `url`, but to the path `/`. */
export async function isStoredAtRoot(t: Trial, name: string, bytes: Buffer): Promise<boolean> {
  const given = await t.upload.grant(t.storage.path(`root/${name}`));
  const url = `${new URL(given.url).origin}/`;
  await t.upload.post({ ...given, url }, t.upload.fields(given, bytes));
  return (await t.upload.read(given.fileId)).found;
}
