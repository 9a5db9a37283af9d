import type { Hooks, Json, MutatedRequest } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import { toRefusal } from '../support/gateway.ts';
import {
  isOk,
  items,
  itemsOf,
  leaveOut,
  list,
  type Operation,
  request,
} from '../support/storage.ts';

/** Leaves an item out of the call to the server if it is at such a position; its entry reports success. */
const skips = (
  operation: Operation,
  isSkipped: (index: number) => boolean,
  toEntry: (item: Json) => object,
): Hooks => leaveOut(operation, (item, index) => (isSkipped(index) ? toEntry(item) : undefined));

const deleted = (fileID: Json) => ({ fileID, code: 'SUCCESS' });
const nothing = () => ({});

/** Changes the items of calls whose fields are inside `data`. */
const inData = (
  operation: Operation,
  change: (items: Json[], call: MutatedRequest) => Json[] | undefined,
): Hooks =>
  request(operation, (call) => {
    const { json } = call;
    const given = json?.data?.fileList;
    if (!Array.isArray(given)) return;
    const isSound = given.every((item) => typeof item === 'string' || Object(item) === item);
    const changed = isSound ? change(given, call) : undefined;
    if (changed) call.json = { data: { ...json.data, fileList: changed } };
  });

/** Mutants that treat the items of a list, or the two forms of a request, differently (D21, D30). */
export const lists: readonly Mutant[] = [
  ...(['batchGetTempUrls', 'batchDelete', 'batchCopyFile'] as const).map((operation) =>
    mutant(
      (
        {
          batchGetTempUrls: 'ST-LINKS-LIST',
          batchDelete: 'ST-DELETE-LIST',
          batchCopyFile: 'ST-COPY-LIST',
        } as const
      )[operation],
      'only the first ten items get an entry',
      list(operation, (all) => all.slice(0, 10)),
    ),
  ),
  ...mutantsOf('ST-LINKS-LIST', {
    'the entries of a long list are not objects from the tenth on': list(
      'batchGetTempUrls',
      (all) => all.map((entry, index) => (index < 9 ? entry : String(entry.fileID))),
    ),
  }),
  ...mutantsOf('ST-LINKS-DOWNLOAD', {
    'from the fourth item on, each link is that of the item before': list(
      'batchGetTempUrls',
      (all) => {
        const given = all.map(({ tempFileURL }) => tempFileURL);
        for (const [index, entry] of all.entries())
          if (index > 2 && isOk(entry) && given[index - 1]) entry.tempFileURL = given[index - 1];
      },
    ),
    'the last of five links is that of the first': list('batchGetTempUrls', (all) => {
      if (all.length >= 5 && isOk(all[0]) && isOk(all.at(-1)))
        all.at(-1).tempFileURL = all[0].tempFileURL;
    }),
  }),
  mutant(
    'ST-DELETE-CALL',
    'from the fourth item on, files are not deleted',
    skips('batchDelete', (index) => index > 2, deleted),
  ),
  mutant(
    'ST-COPY-CALL',
    'from the fourth item on, files are not copied',
    skips('batchCopyFile', (index) => index > 2, nothing),
  ),
  mutant(
    'ST-COPY-CALL',
    'from the fourth item on, the source of the first item is copied',
    request('batchCopyFile', (call) => {
      const all = itemsOf(call);
      if (all.length < 4 || all.some(({ srcPath }) => !srcPath)) return;
      const fileList = all.map((item, index) =>
        index > 2 ? { ...item, srcPath: all[0].srcPath } : item,
      );
      call.json = { ...call.json, fileList };
    }),
  ),
  mutant(
    'ST-COPY-MOVE',
    'removeOriginal counts only in the first two items',
    items(
      'batchCopyFile',
      (item) => {
        if (item.removeOriginal) item.removeOriginal = false;
      },
      2,
    ),
  ),
  mutant(
    'ST-COPY-OVERWRITE-FALSE',
    'overwrite false counts only in the first two items',
    items(
      'batchCopyFile',
      (item) => {
        if (item.overwrite === false) item.overwrite = true;
      },
      2,
    ),
  ),
  mutant(
    'ST-LINKS-CODE',
    'from the sixth item on, existing files are missing',
    list('batchGetTempUrls', (all) => {
      for (const entry of all.slice(5)) Object.assign(entry, { code: 'MISSING', tempFileURL: '' });
    }),
  ),
  ...mutantsOf('ST-REQUEST-FORM-ALIKE', {
    'overwrite false inside data is ignored': inData('batchCopyFile', (all) =>
      all.map((item) => ({ ...item, overwrite: true })),
    ),
    'removeOriginal inside data is ignored': inData('batchCopyFile', (all) =>
      all.map((item) => ({ ...item, removeOriginal: false })),
    ),
    'only the first file inside data is deleted': leaveOutInData('batchDelete', deleted),
    'only the first file inside data is copied': leaveOutInData('batchCopyFile', nothing),
    'only the first file inside data gets a link': inData('batchGetTempUrls', (all) =>
      all.slice(0, 1),
    ),
    'a missing field inside data is not rejected': request('batchDelete', (call) => {
      if (call.json?.data && call.json.data.fileList === undefined)
        call.json = { data: { fileList: [] } };
    }),
    'a path inside data is read without its extension': request('getUploadMetaData', (call) => {
      const path = call.json?.data?.path;
      if (typeof path === 'string') call.json = { data: { path: path.replace(/\.\w+$/, '') } };
    }),
  }),
  ...mutantsOf('GW-NAME-ACCEPTED', {
    'a name of 60 characters is rejected on POST': {
      request: ({ service, method }) =>
        method === 'POST' && service?.length === 60 ? toRefusal(400, 'INVALID_REQUEST') : undefined,
    },
    'a name of 60 characters is rejected if a path follows': {
      request: ({ service, path }) =>
        service?.length === 60 && /^(\/[^/]*){4}/.test(path)
          ? toRefusal(400, 'INVALID_REQUEST')
          : undefined,
    },
  }),
];

/** Leaves all items but the first out of calls whose fields are inside `data`. */
function leaveOutInData(operation: Operation, toEntry: (item: Json) => object): Hooks {
  const left = new WeakMap<object, Json[]>();
  return {
    ...inData(operation, (all, call) => {
      left.set(call, all.slice(1));
      return all.slice(0, 1);
    }),
    response(response, call) {
      const { json } = response;
      const given = json?.body?.data?.fileList;
      if (!Array.isArray(given)) return;
      given.push(...(left.get(call) ?? []).map(toEntry));
      response.json = json;
    },
  };
}
