import type { Hooks, Json, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { COPY, DELETE, GRANT, isObject, OPERATIONS } from './support/storage.ts';
import { type Form, keyOf, pathOf, readForm } from './support/uploads.ts';

/** Whether a storage call was rejected. */
const isRefused = ({ status, json }: MutatedResponse) =>
  status >= 300 || (json?.body?.code !== undefined && json.body.data === undefined);

/** Does something after a storage call was rejected. */
const afterRefusal =
  (act: (call: MutatedRequest, context: MutantContext) => unknown): Mutant['create'] =>
  (context): Hooks => ({
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
  if (fileList.length > 0) await storage(DELETE, { fileList });
}

/** Makes the copies in a list that are complete. */
async function copyAll(list: readonly Json[], { storage }: MutantContext): Promise<void> {
  const fileList = list.filter((item) => isObject(item) && 'srcPath' in item && 'dstPath' in item);
  if (fileList.length > 0) await storage(COPY, { fileList });
}

const AUTHORIZATION = 'X-Svc-Authorization';
const isOf = (operation: string) => (call: MutatedRequest) => call.operation === operation;
const isDelete = isOf(DELETE);
const isCopy = isOf(COPY);

const isKnown = ({ operation }: MutatedRequest) =>
  (OPERATIONS as readonly string[]).includes(operation ?? '');

type IsWanted = (call: MutatedRequest, context: MutantContext) => unknown;
type Choose = (list: readonly Json[], call: MutatedRequest) => readonly Json[];
const all: Choose = (list) => list;

/** Deletes or copies what a rejected call lists, or a part of it. */
const deletes = (isWanted: IsWanted, choose = all) =>
  afterRefusal((call, context) =>
    isDelete(call) && isWanted(call, context)
      ? deleteAll(choose(listOf(call.json), call), context)
      : undefined,
  );
const copies = (isWanted: IsWanted, choose = all) =>
  afterRefusal((call, context) =>
    isCopy(call) && isWanted(call, context)
      ? copyAll(choose(listOf(call.json), call), context)
      : undefined,
  );

const always = () => true;
const isAnonymous = ({ headers }: MutatedRequest) => !headers.get(AUTHORIZATION);
const isElsewhere: IsWanted = ({ path }, { env }) => !path.includes(`/${env}/`);
const isGet = ({ method }: MutatedRequest) => method === 'GET';
const inQuery: Choose = (_, { query }) => {
  const list = parse(new URLSearchParams(query).get('fileList') ?? '');
  return Array.isArray(list) ? list : [];
};
/** The items before the first that matches. */
const before = (list: readonly Json[], isWanted: (item: Json) => boolean) =>
  list.slice(0, Math.max(0, list.findIndex(isWanted)));

/** Stores or removes the file of a rejected form. */
const afterForm =
  (isWanted: (form: Form) => unknown, act: 'store' | 'remove'): Mutant['create'] =>
  ({ store, remove }) => {
    const paths = new Map<string, string>();
    return {
      async response(response, call) {
        const data = response.json?.body?.data;
        if (call.operation === GRANT && data) paths.set(data.storeFileID, pathOf(data.fileID));
        if (!call.isUpload || response.status < 400) return;
        const form = readForm(call);
        const key = form.get('key') ?? paths.get(String(form.get('x-store-meta-fileid')));
        if (!key?.length || !isWanted(form)) return;
        await (act === 'store' ? store(key, form.get('file')) : remove(key));
      },
    };
  };

/** Mutants that do what they reject (D30: such calls are refused). */
export const refusedCalls: Rows = {
  'ST-REFUSED-UNDONE': {
    'a deletion without credentials is rejected, but the file is deleted': deletes(isAnonymous),
    'a copy without credentials is rejected, but the file is copied': copies(isAnonymous),
    'a deletion with wrong credentials is rejected, but the file is deleted': deletes(
      ({ headers }) => headers.get(AUTHORIZATION),
    ),
    'a copy with wrong credentials is rejected, but the file is copied': copies(({ headers }) =>
      headers.get(AUTHORIZATION),
    ),
    'a deletion for another environment is rejected, but the file is deleted': deletes(isElsewhere),
    'a move for another environment is rejected, but the file is moved': copies(
      isElsewhere,
      (list) => list.map((item) => ({ ...item, removeOriginal: true })),
    ),
    'a deletion with only a timestamp is rejected, but the file is deleted': deletes(
      (call) => isAnonymous(call) && call.headers.get('X-Svc-TimeStamp'),
    ),
    'a GET that deletes is rejected, but the file is deleted': deletes(isGet, inQuery),
    'a GET that copies is rejected, but the file is copied': copies(isGet, inQuery),
    'batchDeleteX is rejected, but deletes': afterRefusal(
      (call, context) =>
        !isKnown(call) && /:batchDelete\S/.test(call.path) && deleteAll(listOf(call.json), context),
    ),
    'batchCopyFile.json is rejected, but copies': afterRefusal(
      (call, context) =>
        /:batchCopyFile\.json/.test(call.path) && copyAll(listOf(call.json), context),
    ),
    'the items before one without srcPath are copied': copies(always, (list) =>
      before(list, (item) => isObject(item) && !('srcPath' in item)),
    ),
    'the items after one without dstPath are copied': copies(always, (list) => {
      const first = list.findIndex((item) => isObject(item) && !('dstPath' in item));
      return first < 0 ? [] : list.slice(first + 1);
    }),
    'the IDs before an item of another type are deleted': deletes(always, (list) =>
      before(list, (item) => typeof item !== 'string'),
    ),
    'items before one of another type are copied': copies(always, (list) =>
      before(
        list,
        (item) =>
          !isObject(item) ||
          Object.values(item).some((value) => value === null || typeof value === 'number'),
      ),
    ),
    'a single file ID instead of a list is rejected, but deleted': deletes(
      always,
      (_, { json }) => {
        const id = json?.data?.fileList ?? json?.fileList;
        return typeof id === 'string' && id.length < 1000 ? [id] : [];
      },
    ),
    'what precedes trailing characters is executed': deletes(
      ({ json }) => json === undefined,
      (_, { body }) => {
        const text = body.toString();
        return listOf(parse(text.slice(0, text.lastIndexOf('}') + 1)));
      },
    ),
  },
  'UP-SIGNATURE': {
    'a form without it deletes the existing file': afterForm(
      (form) => !form.has('Signature'),
      'remove',
    ),
    'a form with a wrong one deletes the existing file': afterForm(
      (form) => form.get('Signature')?.length,
      'remove',
    ),
    'a form with an empty one is rejected, but stored': afterForm(
      (form) => form.get('Signature')?.length === 0,
      'store',
    ),
  },
  'UP-META-FILE-ID': {
    'a form without it is rejected, but replaces an existing file': (context) => {
      const stored = new Set<string>();
      const hooks = afterForm(
        (form) => !form.has('x-store-meta-fileid') && stored.has(keyOf(form)),
        'store',
      )(context);
      return {
        async response(response, call) {
          await hooks.response?.(response, call);
          if (call.isUpload && response.status < 300) stored.add(keyOf(readForm(call)));
        },
      };
    },
  },
  'ST-COPY-PATH-REFUSED': {
    'a path with an invalid character is rejected, but copied to without that character': (
      context,
    ) => ({
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

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
