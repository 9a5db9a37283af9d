import type { Json, MutatedAnswer, MutatedRequest } from '../../proxy/messages.ts';
import { itemsOf } from './items-of.ts';

const waiting = new WeakMap<MutatedRequest, Map<number, object>>();

/** Takes items out of a batch; `putEntries` gives them these entries in the answer. */
export function leaveOutItems(
  request: MutatedRequest,
  toEntry: (item: Json, index: number) => object | undefined,
): void {
  const left = new Map<number, object>();
  const fileList = itemsOf(request).filter((item, index) => {
    const entry = toEntry(item, index);
    if (entry) left.set(index, entry);
    return entry === undefined;
  });
  if (left.size === 0) return;
  waiting.set(request, left);
  request.json = { ...request.json, fileList };
}

/** Puts the entries of the items that were taken out in their places. */
export function putEntries(answer: MutatedAnswer, request: MutatedRequest): void {
  const left = waiting.get(request);
  const { json } = answer;
  const entries = json?.body?.data?.fileList;
  if (!left || !Array.isArray(entries)) return;
  for (const [index, entry] of left) entries.splice(index, 0, entry);
  answer.json = json;
}
