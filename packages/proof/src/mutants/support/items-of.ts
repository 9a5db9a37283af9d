import type { MutatedRequest } from '../../proxy/messages.ts';

/** The items of a batch; none where the request has no list. */
// biome-ignore lint/suspicious/noExplicitAny: mutants take whatever is there
export function itemsOf({ json }: MutatedRequest): any[] {
  return Array.isArray(json?.fileList) ? json.fileList.map(Object) : [];
}

/** Changes the items of a batch, those that are objects. */
export function changeItems(
  request: MutatedRequest,
  // biome-ignore lint/suspicious/noExplicitAny: mutants change whatever is there
  change: (item: any) => void,
): void {
  const { json } = request;
  if (!Array.isArray(json?.fileList)) return;
  for (const item of json.fileList) if (Object(item) === item) change(item);
  request.json = json;
}
