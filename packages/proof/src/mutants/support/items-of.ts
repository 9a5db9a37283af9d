import type { Json, MutatedRequest } from '../../proxy/messages.ts';

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
