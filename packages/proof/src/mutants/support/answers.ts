import type { Hooks, Json, MutatedAnswer, MutatedRequest } from '../../proxy/messages.ts';

/** Changes the JSON of an answer in place, where it is some. */
export function changeJson(answer: MutatedAnswer, change: (json: Json) => void): void {
  const { json } = answer;
  if (json === undefined) return;
  change(json);
  answer.json = json;
}

/** Changes the entries of a list answer, in place or by returning others; a refusal stays as it is. */
export function changeEntries(answer: MutatedAnswer, change: (entries: Json[]) => unknown): void {
  changeJson(answer, (json) => {
    const data = json.body?.data;
    if (!Array.isArray(data?.fileList)) return;
    const others = change(data.fileList);
    if (Array.isArray(others)) data.fileList = others;
  });
}

const TYPES: Record<string, string> = {
  fileID: 'string',
  maxAge: 'number',
  srcPath: 'string',
  dstPath: 'string',
  overwrite: 'boolean',
  removeOriginal: 'boolean',
};

/**
 * The items of a batch, where each has the right JSON types; a field may be missing. What has others is
 * for the server to refuse, and none of them is returned.
 */
export function itemsOf({ operation, json }: MutatedRequest): Json[] {
  const items: unknown[] = Array.isArray(json?.fileList) ? json.fileList : [];
  const isSound = (item: unknown) =>
    operation === 'batchDelete' ? typeof item === 'string' : isSoundObject(item);
  return items.every(isSound) ? items : [];
}

function isSoundObject(item: unknown): boolean {
  if (Object(item) !== item || Array.isArray(item)) return false;
  const fields = Object.entries(item as object);
  return fields.every(([name, value]) => typeof value === (TYPES[name] ?? typeof value));
}

/** Changes the items of a batch. */
export function changeItems(request: MutatedRequest, change: (item: Json) => void): void {
  const fileList = itemsOf(request);
  if (fileList.length === 0) return;
  for (const item of fileList) change(item);
  request.json = { ...request.json, fileList };
}

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

/** Values of a header that the fixture service is asked to answer with: what the gateway takes away. */
export function listOrdered(request: MutatedRequest, name: string): string[] {
  const wanted = name.toLowerCase();
  return new URLSearchParams(request.query).getAll('header').flatMap((line) => {
    const [key = '', ...rest] = line.split(':');
    return key.toLowerCase() === wanted ? [rest.join(':').trim()] : [];
  });
}

/** Has the proxy read the body of a request, for an `answer` hook that looks into it. */
export const seesItems: Pick<Hooks, 'request'> = { request: () => undefined };

/** The media type of an answer without parameters, in lower case. */
export function mediaTypeOf({ headers }: MutatedAnswer): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
