import type { Hooks, Json, MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { itemsOf } from './storage.ts';
import { deleteFile, readForm, storeFile } from './uploads.ts';

/** What has happened to the files, and ways to change them behind the back of the caller. */
interface History {
  context: MutantContext;
  /** The content of each file, by its path. */
  files: Map<string, Buffer>;
  store: (path: string, bytes: Buffer | undefined) => Promise<void>;
  remove: (path: string) => Promise<void>;
}

interface Move {
  from: string;
  to: string;
  isMove: boolean;
  bytes: Buffer;
}

/** Hooks that are called with each success, before the response is sent. */
export interface Watching extends Hooks {
  uploaded?: (path: string, bytes: Buffer, before: Buffer | undefined) => unknown;
  deleted?: (path: string, before: Buffer | undefined) => unknown;
  copied?: (move: Move, before: Buffer | undefined) => unknown;
  /** The item of a copy that failed. */
  failed?: (item: Json) => unknown;
}

/** Returns the path in a file ID, a copy path, a form key or the target of a link. */
export function toPath(text: unknown): string {
  return decodeURIComponent(String(text).split('?', 1)[0] ?? '').replace(/^.*?(?=berth-)/, '');
}

/** Creates a mutant from what it does when files change. */
export const watching =
  (create: (history: History) => Watching): Mutant['create'] =>
  (context) => {
    const files = new Map<string, Buffer>();
    const history: History = {
      ...{ context, files },
      store: (path, bytes) => storeFile(context, path, bytes),
      remove: (path) => deleteFile(context, path),
    };
    const hooks = create(history);
    return {
      ...hooks,
      request: (request) => hooks.request?.(request),
      async response(response, request) {
        await follow(hooks, files, response, request);
        await hooks.response?.(response, request);
      },
    };
  };

async function follow(
  { uploaded, deleted, copied, failed }: Watching,
  files: Map<string, Buffer>,
  response: MutatedResponse,
  request: MutatedRequest,
): Promise<void> {
  if (request.isUpload && response.status < 300) {
    const form = readForm(request);
    const path = toPath(form.get('key'));
    const before = files.get(path);
    const bytes = form.get('file') ?? Buffer.alloc(0);
    files.set(path, bytes);
    await uploaded?.(path, bytes, before);
  }
  const entries = response.json?.body?.data?.fileList;
  if (request.operation === 'batchDelete') {
    for (const [index, id] of itemsOf(request).entries()) {
      if (entries?.[index]?.code !== 'SUCCESS') continue;
      const path = toPath(id);
      const before = files.get(path);
      files.delete(path);
      await deleted?.(path, before);
    }
  }
  if (request.operation !== 'batchCopyFile') return;
  for (const [index, item] of itemsOf(request).entries()) {
    const [from, to] = [toPath(item.srcPath), toPath(item.dstPath)];
    const bytes = files.get(from);
    if (!entries?.[index] || entries[index].code || !bytes) {
      await failed?.(item);
      continue;
    }
    const before = files.get(to);
    files.set(to, bytes);
    const isMove = item.removeOriginal === true && from !== to;
    if (isMove) files.delete(from);
    await copied?.({ from, to, isMove, bytes }, before);
  }
}
