import { randomUUID } from 'node:crypto';
import type { STORAGE_OPERATIONS } from '../../../src/generated/storage-operations.gen.ts';
import {
  type Hooks,
  type Json,
  type MutatedRequest,
  MutatedResponse,
} from '../../proxy/messages.ts';
import { applyPatch, type Patch } from './gateway.ts';

export type Operation = (typeof STORAGE_OPERATIONS)[number];

export const GRANT = 'getUploadMetaData';
export const LINKS = 'batchGetTempUrls';
export const DELETE = 'batchDelete';
export const COPY = 'batchCopyFile';

/** Changes requests to an operation. If the function returns a response, that response replaces the server's. */
export const request = (
  operation: Operation,
  change: (request: MutatedRequest) => unknown,
): Hooks => ({ request: (call) => (call.operation === operation ? change(call) : undefined) });

/** Rejects the storage calls that match. */
export const refuse = (isRefused: (request: MutatedRequest) => unknown, status = 400): Hooks => ({
  request: (call) =>
    call.operation && isRefused(call) ? toStorageRefusal(status, 'INVALID_PARAM') : undefined,
});

/** Returns the items of a batch; an empty list if one of them cannot be an item. */
export function itemsOf({ json }: MutatedRequest): Json[] {
  const items: unknown[] = Array.isArray(json?.fileList) ? json.fileList : [];
  return items.every((item) => typeof item === 'string' || isObject(item)) ? items : [];
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes the items of a batch. The function also receives the index of an item, and the first item. */
export const items = (
  operation: Operation,
  change: (item: Json, index: number, first: Json) => unknown,
): Hooks =>
  request(operation, (call) => {
    const fileList = itemsOf(call);
    if (fileList.length === 0) return;
    for (const [index, item] of fileList.entries()) change(item, index, fileList[0]);
    call.json = { ...call.json, fileList };
  });

/** Drops the items for which the function returns an entry, and adds that entry to the response. */
export function leaveOut(
  operation: Operation,
  toEntry: (item: Json, index: number) => object | undefined | Promise<object | undefined>,
): Hooks {
  const left = new WeakMap<MutatedRequest, (object | undefined)[]>();
  return {
    ...request(operation, async (call) => {
      const entries: (object | undefined)[] = [];
      for (const [index, item] of itemsOf(call).entries()) entries.push(await toEntry(item, index));
      if (!entries.some(Boolean)) return;
      left.set(call, entries);
      call.json = { ...call.json, fileList: itemsOf(call).filter((_, index) => !entries[index]) };
    }),
    response(response, call) {
      for (const [index, entry] of left.get(call)?.entries() ?? [])
        if (entry) changeList(response, (all) => void all.splice(index, 0, entry));
    },
  };
}

type EnvelopeChange = (json: Json, response: MutatedResponse, request: MutatedRequest) => unknown;

/** Changes the responses to storage calls that are envelopes. */
const envelopes = (change: EnvelopeChange): Hooks => ({
  response(response, call) {
    const { json } = response;
    if (!call.path.startsWith('/api/') || !json?.body) return;
    change(json, response, call);
    response.json = json;
  },
});

/** Changes the envelopes of successful responses to an operation. */
export const success = (patch: Patch, operation: Operation): Hooks =>
  envelopes((json, _, call) => {
    if (json.body.data && call.operation === operation) applyPatch(json, patch);
  });

/** Changes the envelopes of error responses. */
export const failure = (change: EnvelopeChange): Hooks =>
  envelopes((json, ...rest) => {
    if (!json.body.data) change(json, ...rest);
  });

/** Changes the `data` in responses with upload metadata. */
export const metadata = (change: (data: Json) => unknown): Hooks =>
  success(({ body }: Json) => change(body.data), GRANT);

/** Changes the list of entries, in place or by returning another list. `requested` contains the items of the call. */
export const list = (
  operation: Operation,
  change: (entries: Json[], requested: Json[]) => unknown,
): Hooks => ({
  response(response, call) {
    if (call.operation === operation)
      changeList(response, (entries) => change(entries, itemsOf(call)));
  },
});

function changeList(response: MutatedResponse, change: (entries: Json[]) => unknown): void {
  const { json } = response;
  const data = json?.body?.data;
  if (!Array.isArray(data?.fileList)) return;
  const others = change(data.fileList);
  if (Array.isArray(others)) data.fileList = others;
  response.json = json;
}

/** Changes the entries of a list that match. */
export const entries = (
  operation: Operation,
  isSelected: (entry: Json, index: number) => unknown,
  patch: Patch,
): Hooks =>
  list(operation, (all) => {
    for (const [index, entry] of all.entries())
      if (isSelected(entry, index)) applyPatch(entry, patch);
  });

/** After a copy call, calls a function for each of its items, with the item's entry if it has one. */
export const afterCopies = (act: (item: Json, entry: Json) => unknown): Hooks => ({
  async response(response, call) {
    if (call.operation !== COPY) return;
    const all = response.json?.body?.data?.fileList ?? [];
    for (const [index, item] of itemsOf(call).entries()) await act(item, all[index]);
  },
});

/** Rejects a call after it was executed, depending on the entries in its response. */
export const refuseAfter = (operation: Operation, isBad: (entries: Json[]) => unknown): Hooks => ({
  response(response, call) {
    const all = response.json?.body?.data?.fileList;
    if (call.operation === operation && Array.isArray(all) && isBad(all))
      Object.assign(response, toStorageRefusal(404, 'STORAGE_FILE_NONEXIST'));
  },
});

export const any = () => true;

/** Returns whether an entry in a response with links or deletions is a success; those of copies have no code. */
export const isOk = ({ code }: Json): boolean => code === 'SUCCESS';

export const isBad = (entry: Json): boolean => !isOk(entry);

/** Creates the response to a rejected storage call, in the contract's format. */
export const toStorageRefusal = (status: number, code: string): MutatedResponse =>
  toStorageResponse(status, { code, message: 'rejected by a mutant' });

/** Creates the response to a storage call. `body` is the envelope's body without `requestId`. */
export function toStorageResponse(status: number, body: object): MutatedResponse {
  const requestId = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
  const text = JSON.stringify({ statusCode: status, body: { requestId, ...body } });
  return new MutatedResponse(status, headers, text);
}
