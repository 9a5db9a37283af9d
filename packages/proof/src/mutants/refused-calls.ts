import type { Hooks, Json, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { isObject, OPERATIONS, readsRequests } from './support/storage.ts';
import { deleteFile, pathOf, plainPath, readForm, storeFile } from './support/uploads.ts';

/** Whether a storage call was rejected. */
const isRefused = ({ status, json }: MutatedResponse) =>
  status >= 300 || (json?.body?.code !== undefined && json.body.data === undefined);

/** Does something after a storage call was rejected. */
const afterRefusal =
  (act: (call: MutatedRequest, context: MutantContext) => unknown): Mutant['create'] =>
  (context): Hooks => ({
    ...readsRequests,
    async response(response, call) {
      if (call.path.startsWith('/api/') && isRefused(response)) await act(call, context);
    },
  });

const listOf = (json: Json): Json[] => {
  const list = json?.data?.fileList ?? json?.fileList;
  return Array.isArray(list) ? list : [];
};

/** Deletes the files that a list of file IDs names. */
async function deleteAll(list: readonly Json[], { storage }: MutantContext): Promise<void> {
  const fileList = list.filter((id) => typeof id === 'string');
  if (fileList.length > 0) await storage('batchDelete', { fileList });
}

/** Makes the copies in a list that are complete. */
async function copyAll(list: readonly Json[], { storage }: MutantContext): Promise<void> {
  const fileList = list.filter((item) => isObject(item) && 'srcPath' in item && 'dstPath' in item);
  if (fileList.length > 0) await storage('batchCopyFile', { fileList });
}

const AUTHORIZATION = 'X-Svc-Authorization';
const isOf = (operation: string) => (call: MutatedRequest) => call.operation === operation;

const isDelete = isOf('batchDelete');
const isCopy = isOf('batchCopyFile');

const isKnown = ({ operation }: MutatedRequest) =>
  (OPERATIONS as readonly string[]).includes(operation ?? '');

/** Does something to the file at the path of a rejected form. */
const afterForm =
  (
    isWanted: (form: Map<string, Buffer>, response: MutatedResponse) => unknown,
    act: (path: string, form: Map<string, Buffer>, context: MutantContext) => Promise<void>,
  ): Mutant['create'] =>
  (context) => {
    const paths = new Map<string, string>();
    return {
      ...readsRequests,
      async response(response, call) {
        const data = response.json?.body?.data;
        if (call.operation === 'getUploadMetaData' && data)
          paths.set(data.storeFileID, plainPath(pathOf(data.fileID)));
        if (!call.isUpload || response.status < 400) return;
        const form = readForm(call);
        const key = plainPath(
          form.get('key') ?? paths.get(String(form.get('x-store-meta-fileid'))) ?? '',
        );
        if (key && isWanted(form, response)) await act(key, form, context);
      },
    };
  };
const remove = (path: string, _: unknown, context: MutantContext) => deleteFile(context, path);

const store = (path: string, form: Map<string, Buffer>, context: MutantContext) =>
  storeFile(context, path, form.get('file'));

export const refusedCalls: Rows = {
  'ST-REFUSED-UNDONE': {
    'a deletion without credentials is rejected, but the file is deleted': afterRefusal(
      (call, context) =>
        isDelete(call) && !call.headers.get(AUTHORIZATION) && deleteAll(listOf(call.json), context),
    ),
    'a copy without credentials is rejected, but the file is copied': afterRefusal(
      (call, context) =>
        isCopy(call) && !call.headers.get(AUTHORIZATION) && copyAll(listOf(call.json), context),
    ),
    'a deletion with wrong credentials is rejected, but the file is deleted': afterRefusal(
      (call, context) =>
        isDelete(call) && call.headers.get(AUTHORIZATION) && deleteAll(listOf(call.json), context),
    ),
    'a copy with wrong credentials is rejected, but the file is copied': afterRefusal(
      (call, context) =>
        isCopy(call) && call.headers.get(AUTHORIZATION) && copyAll(listOf(call.json), context),
    ),
    'a deletion for another environment is rejected, but the file is deleted': afterRefusal(
      (call, context) =>
        isDelete(call) &&
        !call.path.includes(`/${context.env}/`) &&
        deleteAll(listOf(call.json), context),
    ),
    'a move for another environment is rejected, but the file is moved': afterRefusal(
      (call, context) =>
        isCopy(call) &&
        !call.path.includes(`/${context.env}/`) &&
        copyAll(
          listOf(call.json).map((item) => ({ ...item, removeOriginal: true })),
          context,
        ),
    ),
    'a deletion with only a timestamp is rejected, but the file is deleted': afterRefusal(
      (call, context) =>
        isDelete(call) &&
        !call.headers.get(AUTHORIZATION) &&
        call.headers.get('X-Svc-TimeStamp') &&
        deleteAll(listOf(call.json), context),
    ),
    'a GET that deletes is rejected, but the file is deleted': afterRefusal((call, context) => {
      const list = new URLSearchParams(call.query).get('fileList');
      return call.method === 'GET' && isDelete(call) && list && deleteAll(parse(list), context);
    }),
    'a GET that copies is rejected, but the file is copied': afterRefusal((call, context) => {
      const list = new URLSearchParams(call.query).get('fileList');
      return call.method === 'GET' && isCopy(call) && list && copyAll(parse(list), context);
    }),
    'batchDeleteX is rejected, but deletes': afterRefusal(
      (call, context) =>
        !isKnown(call) && /:batchDelete\S/.test(call.path) && deleteAll(listOf(call.json), context),
    ),
    'batchCopyFile.json is rejected, but copies': afterRefusal(
      (call, context) =>
        /:batchCopyFile\.json/.test(call.path) && copyAll(listOf(call.json), context),
    ),
    'the items before one without srcPath are copied': afterRefusal((call, context) => {
      const list = listOf(call.json);
      const first = list.findIndex((item) => isObject(item) && !('srcPath' in item));
      return isCopy(call) && first > 0 && copyAll(list.slice(0, first), context);
    }),
    'the items after one without dstPath are copied': afterRefusal((call, context) => {
      const list = listOf(call.json);
      const first = list.findIndex((item) => isObject(item) && !('dstPath' in item));
      return isCopy(call) && first >= 0 && copyAll(list.slice(first + 1), context);
    }),
    'the IDs before an item of another type are deleted': afterRefusal((call, context) => {
      const list = listOf(call.json);
      const first = list.findIndex((item) => typeof item !== 'string');
      return isDelete(call) && first > 0 && deleteAll(list.slice(0, first), context);
    }),
    'items before one of another type are copied': afterRefusal((call, context) => {
      const list = listOf(call.json);
      const isOdd = (item: Json) =>
        !isObject(item) ||
        Object.values(item).some((value) => value === null || typeof value === 'number');
      const first = list.findIndex(isOdd);
      return isCopy(call) && first > 0 && copyAll(list.slice(0, first), context);
    }),
    'a single file ID instead of a list is rejected, but deleted': afterRefusal((call, context) => {
      const id = call.json?.data?.fileList ?? call.json?.fileList;
      return (
        isDelete(call) && typeof id === 'string' && id.length < 1000 && deleteAll([id], context)
      );
    }),
    'what precedes trailing characters is executed': afterRefusal((call, context) => {
      if (call.json !== undefined || !isDelete(call)) return undefined;
      const text = call.body.toString();
      const end = text.lastIndexOf('}') + 1;
      const list = listOf(parseObject(text.slice(0, end)));
      return deleteAll(list, context);
    }),
  },
  'UP-SIGNATURE': {
    'a form without it deletes the existing file': afterForm(
      (form) => !form.has('Signature'),
      remove,
    ),
    'a form with a wrong one deletes the existing file': afterForm(
      (form) => form.has('Signature') && form.get('Signature')?.length !== 0,
      remove,
    ),
    'a form with an empty one is rejected, but stored': afterForm(
      (form) => form.get('Signature')?.length === 0,
      store,
    ),
  },
  'UP-META-FILE-ID': {
    'a form without it is rejected, but replaces an existing file': (context) => {
      const stored = new Set<string>();
      const hooks = afterForm(
        (form) => !form.has('x-store-meta-fileid') && stored.has(plainPath(form.get('key'))),
        store,
      )(context);
      return {
        ...hooks,
        async response(response, call) {
          await hooks.response?.(response, call);
          if (call.isUpload && response.status < 300)
            stored.add(plainPath(readForm(call).get('key')));
        },
      };
    },
  },
  'ST-COPY-PATH-REFUSED': {
    'a path with an invalid character is rejected, but copied to without that character': (
      context,
    ) => ({
      ...readsRequests,
      async response(response, call) {
        const entries = response.json?.body?.data?.fileList;
        if (!isCopy(call) || !Array.isArray(entries)) return;
        const list = listOf(call.json)
          .filter((_, index) => entries[index]?.code === 'INVALID_PARAM')
          .map((item) => ({
            ...item,
            dstPath: String(item.dstPath).replaceAll(/[^\w/!.,*\u4e00-\u9fff-]/g, ''),
          }));
        await copyAll(list, context);
      },
    }),
  },
};

function parse(text: string): Json[] {
  const value = parseObject(text);
  return Array.isArray(value) ? value : [];
}

function parseObject(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
