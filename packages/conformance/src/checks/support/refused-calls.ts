import type { CheckContext } from '../../context/check-context.ts';
import type { StorageCallOptions, StorageReply } from '../../context/storage-client.ts';
import { isNamed, readAll, withHeaders } from '../../http/exchange.ts';
import { areThere, toCopyItems } from './storage.ts';

/** The files that rejected calls try to change. */
interface Victims {
  /** A file that must stay. */
  path: string;
  fileId: string;
  /** A path at which no file must appear. */
  to: string;
}

type WrongCall = [operation: string, fileList: unknown, options?: StorageCallOptions];

/** Returns calls that every deployment must reject as a whole, keyed by description. */
async function toWrongCalls(t: CheckContext, victims: Victims): Promise<Record<string, WrongCall>> {
  const { path, fileId, to } = victims;
  const { env, storageUrl, wireProfile } = t.settings;
  const { authorization } = wireProfile.storageHeaders;
  const credentials = await t.storage.credentials();
  const [value = ''] = readAll(credentials, authorization);
  const wrong = withHeaders(credentials, [[authorization, `${value.slice(0, -8)}00000000`]]);
  const unsigned = credentials.filter(([name]) => !isNamed(name, authorization));
  const other = { env: t.uniqueName() };
  const [item = {}] = toCopyItems(t, [{ from: path, to }]);
  const { srcPath, dstPath } = Object(item);
  const moves = [{ ...item, removeOriginal: true }];
  const asQuery = (operation: string, fileList: unknown): WrongCall => {
    const base = new URL(storageUrl).pathname.replace(/\/+$/, '');
    const query = `fileList=${encodeURIComponent(JSON.stringify(fileList))}`;
    const target = `${base}/api/v2/envs/${env}/storages:${operation}?${query}`;
    return [operation, undefined, { method: 'GET', target }];
  };
  const trailing = { body: `${t.storage.body({ fileList: [fileId] })}x` };
  return {
    'a deletion without credentials': ['batchDelete', [fileId], { credentials: 'none' }],
    'a deletion with wrong credentials': ['batchDelete', [fileId], { credentials: wrong }],
    [`a deletion without ${authorization}`]: ['batchDelete', [fileId], { credentials: unsigned }],
    'a deletion for another environment': ['batchDelete', [fileId], other],
    'a deletion with GET': asQuery('batchDelete', [fileId]),
    'storages:batchDeleteX': ['batchDeleteX', [fileId]],
    'a deletion with a number after a file ID': ['batchDelete', [fileId, 1]],
    'a deletion of a file ID instead of a list': ['batchDelete', fileId],
    'a deletion with characters after the JSON': ['batchDelete', [], trailing],
    'a copy without credentials': ['batchCopyFile', [item], { credentials: 'none' }],
    'a copy with wrong credentials': ['batchCopyFile', [item], { credentials: wrong }],
    'a move for another environment': ['batchCopyFile', moves, other],
    'a copy with GET': asQuery('batchCopyFile', [item]),
    'storages:batchCopyFile.json': ['batchCopyFile.json', [item]],
    'a copy with an item without srcPath at its end': ['batchCopyFile', [item, { dstPath }]],
    'a copy with an item without dstPath at its start': ['batchCopyFile', [{ srcPath }, item]],
    'a copy with a number as overwrite in its second item': [
      'batchCopyFile',
      [item, { ...item, overwrite: 1 }],
    ],
  };
}

async function makeVictims(t: CheckContext, name: string): Promise<Victims> {
  const { path, fileId } = await t.upload.store(`${name}.txt`);
  return { path, fileId, to: `${path}.never` };
}

/** Returns what the rejected calls have changed; `undefined` if nothing. */
async function findChange(t: CheckContext, { fileId, to }: Victims): Promise<string | undefined> {
  const [isKept, isMade] = await areThere(t, [fileId, await t.upload.fileIdOf(to)]);
  if (!isKept) return 'the file that it names is gone';
  return isMade ? 'a file was made at its destination' : undefined;
}

/** Makes calls that must be rejected, and expects them to have changed nothing. */
export async function expectRefusedUndone(t: CheckContext): Promise<void> {
  const make = ([operation, fileList, options]: WrongCall): Promise<StorageReply> =>
    t.storage.call(operation, { fileList }, { ...options, acceptsRefusal: true });
  const victims = await makeVictims(t, 'kept');
  t.reach((await findChange(t, victims)) === undefined, 'an upload stores nothing');
  for (const call of Object.values(await toWrongCalls(t, victims))) {
    // Other rules cover a call that is not rejected.
    if (!(await make(call)).refused) return t.reach(false, 'a wrong call is not rejected');
  }
  t.expect(true, 'they changed nothing');
  if ((await findChange(t, victims)) === undefined) return;
  // Find out which of them changed something.
  for (const what of Object.keys(await toWrongCalls(t, victims))) {
    const others = await makeVictims(t, what.replaceAll(/\W+/g, '-'));
    const call = (await toWrongCalls(t, others))[what] as WrongCall;
    const reply = await make(call);
    const change = await findChange(t, others);
    const { status } = reply.received;
    const message = `${what} was rejected with ${status}, so it must change nothing, but ${change}`;
    t.expect(change === undefined, message, reply);
  }
}
