import type { Hooks, Json, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import {
  COPY,
  DELETE,
  isObject,
  LINKS,
  NO_ENTRIES,
  refuse,
  request,
  toStorageResponse,
} from './support/storage.ts';

/** Repairs invalid JSON. */
const repair = (rewrite: (text: string) => string) => ({
  request(call: MutatedRequest) {
    if (call.operation === undefined || call.json !== undefined) return;
    call.body = Buffer.from(rewrite(call.body.toString()));
  },
});
const hasField = (json: Json) => 'path' in (json.data ?? json) || 'fileList' in (json.data ?? json);

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
/** The items before the first that matches. */
const before = (list: readonly Json[], isWanted: (item: Json) => boolean) =>
  list.slice(0, Math.max(0, list.findIndex(isWanted)));

export const storageRefusals: Rows = {
  'ST-BAD-JSON': {
    'anything after the end of the JSON is ignored': repair((text) =>
      text.slice(0, text.lastIndexOf('}') + 1 || undefined),
    ),
    'unclosed brackets cause a 500': refuse(
      ({ operation, body }) =>
        operation === DELETE && /^\[{100}[\s\S]*[^\]]$/.test(body.toString()),
      500,
      'SYS_ERR',
    ),
  },
  'ST-MISSING-FIELD': {
    'a deletion without fileList succeeds and deletes nothing': request(DELETE, ({ json }) => {
      const hasNone = isObject(json) && !('fileList' in json) && !('data' in json);
      return hasNone ? toStorageResponse(200, NO_ENTRIES) : undefined;
    }),
    'a copy without fileList gets 500': refuse(
      ({ operation, json }) => operation === COPY && isObject(json) && !hasField(json),
      500,
    ),
  },
  'ST-WRONG-TYPE': {
    'a string in place of a list counts as a single item': request(DELETE, (call) => {
      const { json } = call;
      if (typeof json?.fileList === 'string') call.json = { ...json, fileList: [json.fileList] };
    }),
    'only the first item of a list is validated': request(DELETE, (call) => {
      const { json } = call;
      if (!Array.isArray(json?.fileList)) return;
      const [first, ...rest] = json.fileList;
      call.json = { ...json, fileList: [first, ...rest.map(String)] };
    }),
    'a deeply nested list causes a 503': refuse(
      ({ operation, body }) =>
        operation === LINKS &&
        body.includes('['.repeat(1000)) &&
        body.subarray(-1000).includes(']]'),
      503,
      'SERVICE_UNAVAILABLE',
    ),
  },
  'ST-REFUSED-UNDONE': {
    'the files in a rejected deletion are deleted': ({ storage }) => ({
      async response(response, { json, operation }) {
        const list = json?.data?.fileList ?? json?.fileList;
        if (operation !== DELETE || response.status < 400 || !Array.isArray(list)) return;
        await storage(DELETE, { fileList: list.filter((id) => typeof id === 'string') });
      },
    }),
    'a deletion without credentials is rejected, but the file is deleted': deletes(isAnonymous),
    'the items before one without srcPath are copied': copies(always, (list) =>
      before(list, (item) => isObject(item) && !('srcPath' in item)),
    ),
  },
};
