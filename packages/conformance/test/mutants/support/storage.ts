import { randomUUID } from 'node:crypto';
import { STORAGE_OPERATIONS } from '../../../../conformance/src/generated/storage-operations.gen.ts';
import {
  type Hooks,
  type Json,
  type MutatedRequest,
  MutatedResponse,
} from '../../proxy/messages.ts';
import { applyPatch, changeJson, type Patch, type Values } from './gateway.ts';

export { STORAGE_OPERATIONS as OPERATIONS };

export type Operation = (typeof STORAGE_OPERATIONS)[number];

export const GRANT = 'getUploadMetaData';
export const LINKS = 'batchGetTempUrls';
export const DELETE = 'batchDelete';
export const COPY = 'batchCopyFile';

/**
 * Changes requests to an operation. If the function returns a response, that response replaces the server's.
 */
export const request = (
  operation: Operation,
  change: (request: MutatedRequest) => unknown,
): Hooks => ({
  request: (one) => (one.operation === operation ? change(one) : undefined),
});

/** Rewrites the path and query of every request. */
export const retarget = (rewrite: (target: string) => string): Hooks => ({
  request(one) {
    one.target = rewrite(one.target);
  },
});

/** Rejects the storage calls that match. */
export const refuse = (
  isRefused: (request: MutatedRequest) => unknown,
  status = 400,
  code = 'INVALID_PARAM',
): Hooks => ({
  request: (one) => (one.operation && isRefused(one) ? toStorageRefusal(status, code) : undefined),
});

const TYPES: Record<string, string> = {
  fileID: 'string',
  maxAge: 'number',
  srcPath: 'string',
  dstPath: 'string',
  overwrite: 'boolean',
  removeOriginal: 'boolean',
};

/**
 * Returns the items of a batch if all have the right JSON types; a field may be missing. Otherwise returns an
 * empty list, because the server rejects the call.
 */
export function itemsOf({ operation, json }: MutatedRequest): Json[] {
  const items: unknown[] = Array.isArray(json?.fileList) ? json.fileList : [];
  const isSound = (item: unknown) =>
    operation === DELETE
      ? typeof item === 'string'
      : isObject(item) &&
        Object.entries(item).every(
          ([name, value]) => typeof value === (TYPES[name] ?? typeof value),
        );
  return items.every(isSound) ? items : [];
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type ItemPatch = Values | ((item: Json, first: Json) => unknown);

/**
 * Changes the items of a batch. A function also receives the first item of the batch.
 *
 * @param from index of the first item to change
 */
export const items = (operation: Operation, patch: ItemPatch, from = 0): Hooks =>
  request(operation, (one) => {
    const fileList = itemsOf(one);
    if (fileList.length <= from) return;
    for (const item of fileList.slice(from)) applyPatch(item, patch, fileList[0]);
    one.json = { ...one.json, fileList };
  });

export const copyItems = (patch: ItemPatch, from = 0): Hooks => items(COPY, patch, from);

/** Returns a function that replaces one value, and leaves all others as they are. */
export const instead = (from: unknown, to: unknown) => (value: unknown) =>
  value === from ? to : value;

type ToEntry = (item: Json, index: number) => object | undefined;

/** Drops the items for which `toEntry` returns an entry, and adds that entry to the response. */
export const leaveOut = (operation: Operation, toEntry: ToEntry): Hooks =>
  leaveOutAfter(operation, () => toEntry);

/** Like `leaveOut`, but `toEntry` depends on the request. */
export function leaveOutAfter(
  operation: Operation,
  prepare: (request: MutatedRequest) => ToEntry | Promise<ToEntry>,
): Hooks {
  const left = new WeakMap<MutatedRequest, (object | undefined)[]>();
  return {
    ...request(operation, async (one) => {
      const toEntry = await prepare(one);
      const entries = itemsOf(one).map(toEntry);
      if (!entries.some(Boolean)) return;
      left.set(one, entries);
      one.json = { ...one.json, fileList: itemsOf(one).filter((_, index) => !entries[index]) };
    }),
    response(response, one) {
      for (const [index, entry] of left.get(one)?.entries() ?? [])
        if (entry) changeList(response, (all) => void all.splice(index, 0, entry));
    },
  };
}

/** Changes the envelopes of storage calls: of one operation, or with one HTTP status. */
const envelopes = (
  isSelected: (json: Json) => unknown,
  patch: Patch,
  of: Operation | number | undefined,
): Hooks => ({
  response(response, { operation, path }) {
    const isCovered = of === undefined || of === operation || of === response.status;
    if (!path.startsWith('/api/') || !isCovered) return;
    changeJson((json: Json) => {
      if (json.body && isSelected(json)) applyPatch(json, patch, response, operation);
    })(response);
  },
});

/** Changes the envelopes of successful responses. */
export const success = (patch: Patch, of?: Operation | number): Hooks =>
  envelopes(({ body }) => body.data, patch, of);

/** Changes the envelopes of error responses. */
export const failure = (patch: Patch, of?: Operation | number): Hooks =>
  envelopes(({ body }) => !body.data, patch, of);

/** Changes the `body` in the envelopes of successful responses. */
const successBody = (patch: Patch, of?: Operation | number): Hooks =>
  success(({ body }, ...rest) => applyPatch(body, patch, ...rest), of);

export const failureBody = (patch: Patch, of?: Operation | number): Hooks =>
  failure(({ body }, ...rest) => applyPatch(body, patch, ...rest), of);

/** Changes the `data` in responses with upload metadata. */
export const metadata = (patch: Patch, isSelected: (data: Json) => boolean = () => true): Hooks =>
  successBody(({ data }, ...rest) => {
    if (isSelected(data)) applyPatch(data, patch, ...rest);
  }, GRANT);

/**
 * Changes the list of entries, in place or by returning another list. `requested` contains the items in the
 * request.
 */
export const list = (
  operation: Operation,
  change: (entries: Json[], requested: Json[], response: MutatedResponse) => unknown,
): Hooks => ({
  response(response, one) {
    if (one.operation !== operation) return;
    changeList(response, (entries) => change(entries, itemsOf(one), response));
  },
});

export function changeList(response: MutatedResponse, change: (entries: Json[]) => unknown): void {
  const { json } = response;
  const data = json?.body?.data;
  if (!Array.isArray(data?.fileList)) return;
  const others = change(data.fileList);
  if (Array.isArray(others)) data.fileList = others;
  response.json = json;
}

/** Chooses entries by their code, or with a function that also receives their item in the request, and their index. */
type Selector = string | ((entry: Json, item: Json, index: number) => unknown);

/** Changes the entries that match. */
const entries = (operation: Operation, selector: Selector, patch: Patch): Hooks =>
  list(operation, (all, requested, response) => {
    const isSelected =
      typeof selector === 'string' ? ({ code }: Json) => code === selector : selector;
    for (const [index, entry] of all.entries())
      if (isSelected(entry, requested[index] ?? {}, index))
        applyPatch(entry, patch, response, operation);
  });

export const links = (selector: Selector, patch: Patch): Hooks => entries(LINKS, selector, patch);

export const deletions = (selector: Selector, patch: Patch): Hooks =>
  entries(DELETE, selector, patch);

export const copies = (selector: Selector, patch: Patch): Hooks => entries(COPY, selector, patch);

/** After a copy call, calls a function for each of its items, with the item's entry if it has one. */
export const afterCopies = (act: (item: Json, entry: Json) => unknown): Hooks => ({
  async response(response, one) {
    if (one.operation !== COPY) return;
    const all = response.json?.body?.data?.fileList ?? [];
    for (const [index, item] of itemsOf(one).entries()) await act(item, all[index]);
  },
});

/** Rejects a call after it was executed, depending on the entries in its response. */
export const refuseAfter = (
  operation: Operation,
  isRefused: (entries: Json[]) => unknown,
): Hooks => ({
  response(response, one) {
    const all = response.json?.body?.data?.fileList;
    if (one.operation === operation && Array.isArray(all) && isRefused(all))
      Object.assign(response, toStorageRefusal(404, 'STORAGE_FILE_NONEXIST'));
  },
});

export const any = () => true;

/**
 * Returns whether an entry in a response with links or deletions is a success. Do not use it for copies,
 * whose successful entries have no code.
 */
export const isOk = ({ code }: Json): boolean => code === 'SUCCESS';

export const isBad = (entry: Json): boolean => !isOk(entry);

/** Creates the response to a rejected storage call, in the contract's format. */
export const toStorageRefusal = (status: number, code: string): MutatedResponse =>
  toStorageResponse(status, { code, message: 'rejected by a mutant' });

export const NO_ENTRIES = { data: { fileList: [] } };

/** Creates the response to a storage call. `body` is the envelope's body without `requestId`. */
export function toStorageResponse(status: number, body: object): MutatedResponse {
  const requestId = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
  const text = JSON.stringify({ statusCode: status, body: { requestId, ...body } });
  return new MutatedResponse(status, headers, text);
}
