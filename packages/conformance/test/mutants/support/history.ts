import {
  type Hooks,
  type Json,
  type MutatedRequest,
  MutatedResponse,
} from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { COPY, DELETE, itemsOf } from './storage.ts';
import { readForm } from './uploads.ts';

/** What happened to the files so far, by their paths. */
interface Past {
  /** The content of each file. */
  files: Map<string, Buffer>;
  /** The last content of the files that were deleted, even if they exist again. */
  deleted: Map<string, Buffer | undefined>;
  /** Destinations of copies and moves. */
  copied: Set<string>;
  /** Sources of moves. */
  moved: Set<string>;
}

interface Move {
  from: string;
  to: string;
  isMove: boolean;
  bytes: Buffer;
}

/** Hooks that are called with each success, before the response is sent. `deleted`, `copied` and `moved` lack it then. */
export interface Watching extends Hooks {
  uploaded?: (path: string, bytes: Buffer, before: Buffer | undefined) => unknown;
  deleted?: (path: string, before: Buffer | undefined) => unknown;
  copied?: (move: Move, before: Buffer | undefined) => unknown;
  /** The item of a copy that failed. */
  failed?: (item: Json) => unknown;
}

/** Returns the path in a file ID, a copy path, a form key or the target of a link. */
export function toPath(text: unknown): string {
  const [path = ''] = String(text).split('?', 1);
  return decode(path).replace(/^.*?(?=berth-)/, '');
}

/** Only the target of a link is encoded: a copy path may contain any `%`. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Creates a mutant from what it does when files change. */
export const watching =
  (create: (history: MutantContext & Past) => Watching): Mutant['create'] =>
  (context) => {
    const past: Past = {
      files: new Map(),
      deleted: new Map(),
      copied: new Set(),
      moved: new Set(),
    };
    const hooks = create({ ...context, ...past });
    return {
      ...hooks,
      request: (request) => hooks.request?.(request),
      async response(response, request) {
        await follow(hooks, past, response, request);
        await hooks.response?.(response, request);
      },
    };
  };

async function follow(
  hooks: Watching,
  { files, deleted, copied, moved }: Past,
  response: MutatedResponse,
  request: MutatedRequest,
): Promise<void> {
  if (request.isUpload && response.status < 300) {
    const form = readForm(request);
    const path = toPath(form.get('key'));
    const before = files.get(path);
    const bytes = form.get('file') ?? Buffer.alloc(0);
    files.set(path, bytes);
    await hooks.uploaded?.(path, bytes, before);
  }
  const entries = response.json?.body?.data?.fileList;
  if (request.operation === DELETE) {
    for (const [index, id] of itemsOf(request).entries()) {
      if (entries?.[index]?.code !== 'SUCCESS') continue;
      const path = toPath(id);
      const before = files.get(path);
      files.delete(path);
      await hooks.deleted?.(path, before);
      deleted.set(path, before);
    }
  }
  if (request.operation !== COPY) return;
  for (const [index, item] of itemsOf(request).entries()) {
    const [from, to] = [toPath(item.srcPath), toPath(item.dstPath)];
    const bytes = files.get(from);
    if (!entries?.[index] || entries[index].code || !bytes) {
      await hooks.failed?.(item);
      continue;
    }
    const before = files.get(to);
    files.set(to, bytes);
    const isMove = item.removeOriginal === true && from !== to;
    if (isMove) files.delete(from);
    await hooks.copied?.({ from, to, isMove, bytes }, before);
    copied.add(to);
    if (isMove) moved.add(from);
  }
}

/** Makes a file depend on others: changes each copy along with its source, or the other way round. */
export const linked = (isBack: boolean, act: 'store' | 'remove') =>
  watching(({ store, remove }) => {
    const pairs = new Map<string, string>();
    const changed = async (path: string, bytes?: Buffer) => {
      const other = pairs.get(path);
      pairs.delete(path);
      if (other === undefined) return;
      if (act === 'store' && bytes) await store(other, bytes);
      if (act === 'remove' && !bytes) await remove(other);
    };
    return {
      copied: ({ from, to, isMove }) => {
        if (!isMove && from !== to) isBack ? pairs.set(to, from) : pairs.set(from, to);
      },
      uploaded: changed,
      deleted: (path) => changed(path),
    };
  });

/** Deletes other files along with a file. */
export const deletesToo = (belongs: (other: string, deleted: string) => boolean) =>
  watching(({ files, remove }) => ({
    async deleted(path) {
      for (const other of files.keys()) if (belongs(other, path)) await remove(other);
    },
  }));

/** Rejects downloads. */
const downloads = (isRejected: (path: string, target: string) => unknown) =>
  ({
    request: ({ isDownload, target }) =>
      isDownload && isRejected(toPath(target), target)
        ? new MutatedResponse(403, {}, 'gone')
        : undefined,
  }) satisfies Watching;

export const linksWorkOnce = watching(() => {
  const used = new Set<string>();
  return downloads((_, target) => used.has(target) || !used.add(target));
});
