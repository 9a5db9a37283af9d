import { type Hooks, type MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { COPY, DELETE, itemsOf } from './storage.ts';
import { readForm } from './uploads.ts';

/** What a mutant does after each success, before the response is sent. */
export interface Watching extends Hooks {
  uploaded?: (path: string, bytes: Buffer) => unknown;
  deleted?: (path: string) => unknown;
  copied?: (copy: { from: string; to: string; isMove: boolean }) => unknown;
}

/** The content of each file, by its path. */
type Contents = Map<string, Buffer>;

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
  (create: (history: MutantContext & { files: Contents }) => Watching): Mutant['create'] =>
  (context) => {
    const files: Contents = new Map();
    const hooks = create({ ...context, files });
    return {
      ...hooks,
      async response(response, request) {
        await follow(hooks, files, response, request);
        await hooks.response?.(response, request);
      },
    };
  };

async function follow(
  hooks: Watching,
  files: Contents,
  response: MutatedResponse,
  request: MutatedRequest,
): Promise<void> {
  if (request.isUpload && response.status < 300) {
    const form = readForm(request);
    const path = toPath(form.get('key'));
    const bytes = form.get('file') ?? Buffer.alloc(0);
    files.set(path, bytes);
    await hooks.uploaded?.(path, bytes);
  }
  const entries = response.json?.body?.data?.fileList ?? [];
  for (const [index, item] of itemsOf(request).entries()) {
    const { code } = entries[index] ?? { code: 'none' };
    if (request.operation === DELETE && code === 'SUCCESS') {
      files.delete(toPath(item));
      await hooks.deleted?.(toPath(item));
    }
    const [from, to] = [toPath(item.srcPath), toPath(item.dstPath)];
    const bytes = files.get(from);
    if (request.operation !== COPY || code || !bytes) continue;
    const isMove = item.removeOriginal === true && from !== to;
    files.set(to, bytes);
    if (isMove) files.delete(from);
    await hooks.copied?.({ from, to, isMove });
  }
}

/** Deletes other files along with a file. */
export const deletesToo = (belongs: (other: string, deleted: string) => boolean) =>
  watching(({ files, remove }) => ({
    async deleted(path) {
      for (const other of files.keys()) if (belongs(other, path)) await remove(other);
    },
  }));

export const linksWorkOnce = () => {
  const used = new Set<string>();
  return {
    request: ({ isDownload, target }: MutatedRequest) =>
      isDownload && (used.has(target) || !used.add(target))
        ? new MutatedResponse(403, {}, 'gone')
        : undefined,
  };
};
