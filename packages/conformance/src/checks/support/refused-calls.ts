import type { CheckContext } from '../../context/check-context.ts';
import type { StorageCallOptions, StorageReply } from '../../context/storage-client.ts';
import { readAll, withHeaders } from '../../http/exchange.ts';
import { toCopyItems } from './storage.ts';

/** The files that rejected calls try to change. */
interface Victims {
  /** A file that must stay. */
  path: string;
  fileId: string;
  /** A path at which no file must appear. */
  to: string;
}

interface WrongCall {
  operation: string;
  fields: object;
  options?: StorageCallOptions;
}

/** Returns calls that every deployment must reject as a whole, keyed by description. */
async function toWrongCalls(t: CheckContext, victims: Victims): Promise<Record<string, WrongCall>> {
  const { path, fileId, to } = victims;
  const { authorization } = t.settings.wireProfile.storageHeaders;
  const credentials = await t.storage.credentials();
  const [value = ''] = readAll(credentials, authorization);
  const wrong = withHeaders(credentials, [[authorization, `${value.slice(0, -8)}00000000`]]);
  const unsigned = credentials.filter(
    ([name]) => name.toLowerCase() !== authorization.toLowerCase(),
  );
  const [copy] = toCopyItems(t, [{ from: path, to }]) as [Record<string, unknown>];
  const deletion = { operation: 'batchDelete', fields: { fileList: [fileId] } };
  const copying = { operation: 'batchCopyFile', fields: { fileList: [copy] } };
  const moving = {
    operation: 'batchCopyFile',
    fields: { fileList: [{ ...copy, removeOriginal: true }] },
  };
  const asQuery = ({ operation, fields }: WrongCall): WrongCall => {
    const { env, storageUrl } = t.settings;
    const base = new URL(storageUrl).pathname.replace(/\/+$/, '');
    const list = encodeURIComponent(JSON.stringify(Object(fields).fileList));
    const target = `${base}/api/v2/envs/${env}/storages:${operation}?fileList=${list}`;
    return { operation, fields: {}, options: { method: 'GET', target } };
  };
  const listed = (operation: string, fileList: unknown): WrongCall => ({
    operation,
    fields: { fileList },
  });
  const { srcPath, dstPath } = copy;
  return {
    'a deletion without credentials': { ...deletion, options: { credentials: 'none' } },
    'a deletion with wrong credentials': { ...deletion, options: { credentials: wrong } },
    [`a deletion without ${authorization}`]: { ...deletion, options: { credentials: unsigned } },
    'a deletion for another environment': { ...deletion, options: { env: t.uniqueName() } },
    'a deletion with GET': asQuery(deletion),
    'storages:batchDeleteX': { ...deletion, operation: 'batchDeleteX' },
    'a deletion with a number after a file ID': listed('batchDelete', [fileId, 1]),
    'a deletion of a file ID instead of a list': listed('batchDelete', fileId),
    'a deletion with characters after the JSON': {
      ...deletion,
      options: { body: `${t.storage.body(deletion.fields)}x` },
    },
    'a copy without credentials': { ...copying, options: { credentials: 'none' } },
    'a copy with wrong credentials': { ...copying, options: { credentials: wrong } },
    'a move for another environment': { ...moving, options: { env: t.uniqueName() } },
    'a copy with GET': asQuery(copying),
    'storages:batchCopyFile.json': { ...copying, operation: 'batchCopyFile.json' },
    'a copy with an item without srcPath at its end': listed('batchCopyFile', [copy, { dstPath }]),
    'a copy with an item without dstPath at its start': listed('batchCopyFile', [
      { srcPath },
      copy,
    ]),
    'a copy with a number as overwrite in its second item': listed('batchCopyFile', [
      copy,
      { ...copy, overwrite: 1 },
    ]),
  };
}

async function makeVictims(t: CheckContext, name: string): Promise<Victims> {
  const { path, fileId } = await t.upload.store(`${name}.txt`);
  return { path, fileId, to: `${path}.never` };
}

/** Returns what the rejected calls have changed; `undefined` if nothing. */
async function findChange(t: CheckContext, { fileId, to }: Victims): Promise<string | undefined> {
  const ids = [fileId, await t.upload.fileIdOf(to)];
  const entries = await t.storage.list(
    'batchGetTempUrls',
    ids.map((fileID) => ({ fileID })),
  );
  const [isKept, isMade] = ids.map((id) =>
    entries.some(({ fileID, code }) => fileID === id && code === 'SUCCESS'),
  );
  if (!isKept) return 'the file that it names is gone';
  return isMade ? 'a file was made at its destination' : undefined;
}

/** Makes calls that must be rejected, and expects them to have changed nothing. */
export async function expectRefusedUndone(t: CheckContext): Promise<void> {
  const make = ({ operation, fields, options }: WrongCall): Promise<StorageReply> =>
    t.storage.call(operation, fields, { ...options, acceptsRefusal: true });
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
