import type { Hooks, Json, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { COPY, DELETE, isObject } from './support/storage.ts';

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

/** Mutants that do what they reject (D30: such calls are refused). */
export const refusedCalls: Rows = {
  'ST-REFUSED-UNDONE': {
    'a deletion without credentials is rejected, but the file is deleted': deletes(isAnonymous),
    'the items before one without srcPath are copied': copies(always, (list) =>
      before(list, (item) => isObject(item) && !('srcPath' in item)),
    ),
  },
};
