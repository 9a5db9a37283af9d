import { setTimeout as wait } from 'node:timers/promises';
import { type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { toMutants } from './mutant.ts';
import { toPath, type Watching, watching } from './support/history.ts';
import { changeItems, changeList, isOk, itemsOf, toStorageResponse } from './support/storage.ts';
import { keyOf, readForm, writeForm } from './support/uploads.ts';

const GONE = new MutatedResponse(403, {}, 'gone');

/** Changes entries by the path of their file. */
const entriesOf = (
  wanted: string,
  change: (path: string, entry: { code: string; tempFileURL: string }) => void,
) =>
  ({
    response(response, { operation }) {
      if (operation !== wanted) return;
      changeList(response, (all) => {
        for (const entry of all) change(toPath(entry.fileID), entry);
      });
    },
  }) satisfies Watching;
const links = (change: Parameters<typeof entriesOf>[1]) => entriesOf('batchGetTempUrls', change);

const fail = (entry: object) => Object.assign(entry, { code: 'NONE', tempFileURL: '' });

/** Rejects downloads. */
const downloads = (isRejected: (path: string, target: string) => unknown) =>
  ({
    request: ({ isDownload, target }) =>
      isDownload && isRejected(toPath(target), target) ? GONE : undefined,
  }) satisfies Watching;

/** Keeps downloads and returns them again. */
const cached = (toKey: (target: string) => string, isKept = (_: MutatedResponse) => true) => {
  const kept = new Map<string, MutatedResponse>();
  return {
    request: ({ isDownload, target }) => (isDownload ? kept.get(toKey(target)) : undefined),
    response(response, { isDownload, target }) {
      if (isDownload && isKept(response)) kept.set(toKey(target), response);
    },
    kept,
  } satisfies Watching & { kept: Map<string, MutatedResponse> };
};

/** Makes a file depend on others: changes each copy along with its source, or the other way round. */
const linked = (isBack: boolean, act: 'store' | 'remove') =>
  watching((history) => {
    const pairs = new Map<string, string>();
    const changed = async (path: string, bytes?: Buffer) => {
      const other = pairs.get(path);
      pairs.delete(path);
      if (other === undefined) return;
      if (act === 'store' && bytes) await history.store(other, bytes);
      if (act === 'remove' && !bytes) await history.remove(other);
    };
    return {
      copied: ({ from, to, isMove }) => {
        if (!isMove && from !== to) isBack ? pairs.set(to, from) : pairs.set(from, to);
      },
      uploaded: changed,
      deleted: (path) => changed(path),
    };
  });

/** Changes the items of copies. */
const copies = (
  change: (item: { srcPath: string; dstPath: string; [name: string]: unknown }) => void,
) =>
  ({
    request(request) {
      if (request.operation === 'batchCopyFile') changeItems(request, change);
    },
  }) satisfies Watching;

const folderOf = (path: string) => path.replace(/(level\/)?[^/]*$/, '');
const baseOf = (path: string) => path.replace(/^.*\//, '');

const reads = {
  'a cache returns the first bytes that were read at a path': watching(() =>
    cached(toPath, ({ status }) => status === 200),
  ),
  'a cache is emptied by uploads, but not by copies': watching(() => {
    const cache = cached(toPath, ({ status }) => status === 200);
    return { ...cache, uploaded: (path) => void cache.kept.delete(path) };
  }),
  'a cache is emptied by uploads and copies, but not by deletes': watching(() => {
    const cache = cached(toPath, ({ status }) => status === 200);
    const drop = (path: string) => void cache.kept.delete(path);
    return { ...cache, uploaded: drop, copied: ({ to }) => drop(to) };
  }),
  'a cache keeps that a link did not work': watching(() =>
    cached(toPath, ({ status }) => status >= 400),
  ),
  'a link that was used works after its file is deleted': watching(() =>
    cached(
      (target) => target,
      ({ status }) => status === 200,
    ),
  ),
  'a file that was missing stays missing for links': watching(() => {
    const missing = new Set<string>();
    return links((path, entry) => {
      if (!isOk(entry)) missing.add(path);
      else if (missing.has(path)) fail(entry);
    });
  }),
  'a file that was deleted stays missing for links': watching(() => {
    const gone = new Set<string>();
    return {
      ...links((path, entry) => void (gone.has(path) && fail(entry))),
      deleted: (path) => gone.add(path),
    };
  }),
  'a file that was moved away stays missing for links': watching(() => {
    const gone = new Set<string>();
    return {
      ...links((path, entry) => void (gone.has(path) && fail(entry))),
      copied: ({ from, isMove }) => isMove && gone.add(from),
    };
  }),
  'a deleted file still gets links for a while': watching(() => {
    const known = new Map<string, string>();
    return links((path, entry) => {
      if (isOk(entry)) known.set(path, entry.tempFileURL);
      else if (known.has(path))
        Object.assign(entry, { code: 'SUCCESS', tempFileURL: known.get(path) });
    });
  }),
  'a new link to a file ends the ones before': watching(() => {
    const last = new Map<string, string>();
    return {
      ...downloads((path, target) => last.has(path) && last.get(path) !== target),
      ...links((path, entry) => {
        if (isOk(entry)) last.set(path, entry.tempFileURL.replace(/^http:\/\/[^/]*/, ''));
      }),
    };
  }),
  'a link works once': watching(() => {
    const used = new Set<string>();
    return downloads((_, target) => used.has(target) || !used.add(target));
  }),
  'a delete ends the links to all files of the folder': watching(() => {
    const ended = new Map<string, number>();
    return {
      ...downloads((path) => ended.has(folderOf(path))),
      deleted: (path) => ended.set(folderOf(path), 1),
      uploaded: (path) => ended.delete(folderOf(path)),
    };
  }),
  'a move ends the links to files whose names start like its source': watching(() => {
    const ended = new Set<string>();
    return {
      ...downloads((path) => [...ended].some((one) => path !== one && path.startsWith(one))),
      copied: ({ from, isMove }) => isMove && ended.add(from),
    };
  }),
  'the links of a batch shift if a file is missing': watching(() => ({
    response(response, { operation }) {
      if (operation !== 'batchGetTempUrls') return;
      changeList(response, (all) => {
        const urls = all.filter(isOk).map(({ tempFileURL }) => tempFileURL);
        if (urls.length < all.length)
          for (const entry of all.filter(isOk)) entry.tempFileURL = urls.at(-1);
      });
    },
  })),
  'after a delete, all links of a batch are those of the first file': watching(() => {
    let isBroken = false;
    return {
      response(response, { operation }) {
        if (operation !== 'batchGetTempUrls' || !isBroken) return;
        changeList(response, (all) => {
          const [first] = all.filter(isOk);
          for (const entry of all.filter(isOk)) entry.tempFileURL = first?.tempFileURL;
        });
      },
      deleted: () => {
        isBroken = true;
      },
    };
  }),
};

const deletes = {
  'a delete brings back the content before the last upload': watching(({ store }) => {
    const versions = new Map<string, Buffer>();
    return {
      uploaded: (path, _, before) => before && versions.set(path, before),
      async deleted(path) {
        await (versions.has(path) && store(path, versions.get(path)));
        versions.delete(path);
      },
    };
  }),
  'a delete brings back the content before the last copy': watching(({ store }) => {
    const versions = new Map<string, Buffer>();
    return {
      copied: ({ to }, before) => before && versions.set(to, before),
      async deleted(path) {
        await (versions.has(path) && store(path, versions.get(path)));
        versions.delete(path);
      },
    };
  }),
  'a deleted file comes back with the next upload to its folder': watching(({ store }) => {
    const trash = new Map<string, [path: string, bytes: Buffer]>();
    return {
      deleted: (path, before) => before && trash.set(folderOf(path), [path, before]),
      async uploaded(path) {
        const [other, bytes] = trash.get(folderOf(path)) ?? [];
        if (other && other !== path) await store(other, bytes);
        trash.delete(folderOf(path));
      },
    };
  }),
  'a deleted file comes back with the next copy in its folder': watching(({ store }) => {
    const trash = new Map<string, [path: string, bytes: Buffer]>();
    return {
      deleted: (path, before) => before && trash.set(folderOf(path), [path, before]),
      async copied({ to, from }) {
        const [other, bytes] = trash.get(folderOf(to)) ?? [];
        if (other && other !== to && other !== from) await store(other, bytes);
        trash.delete(folderOf(to));
      },
    };
  }),
  'the second delete of a path is lost': watching(({ store }) => {
    const deleted = new Set<string>();
    return {
      async deleted(path, before) {
        if (deleted.has(path)) await store(path, before);
        deleted.add(path);
      },
    };
  }),
  'the delete of a copy is lost': watching(({ store }) => {
    const copied = new Set<string>();
    return {
      copied: ({ to }) => copied.add(to),
      deleted: (path, before) => (copied.has(path) ? store(path, before) : undefined),
      uploaded: (path) => copied.delete(path),
    };
  }),
  'the delete of a file that was overwritten is lost': watching(({ store }) => {
    const changed = new Set<string>();
    return {
      uploaded: (path, _, before) => before && changed.add(path),
      deleted: (path, before) => (changed.has(path) ? store(path, before) : undefined),
    };
  }),
  'a delete also removes files whose names start with its path': watching(({ files, remove }) => ({
    async deleted(path) {
      for (const other of files.keys()) if (other.startsWith(path)) await remove(other);
    },
  })),
  'a delete also removes the file of the same name in another folder': watching(
    ({ files, remove }) => ({
      async deleted(path) {
        for (const other of files.keys()) {
          const isSame = folderOf(other) === folderOf(path) && baseOf(other) === baseOf(path);
          if (isSame) await remove(other);
        }
      },
    }),
  ),
  'the delete of a file that was stored again reports a failure': watching(() => {
    const deleted = new Set<string>();
    return entriesOf('batchDelete', (path, entry) => {
      if (isOk(entry) && deleted.has(path)) entry.code = 'NONE';
      deleted.add(path);
    });
  }),
  'a repeated delete is a success': watching(() => {
    const deleted = new Set<string>();
    return entriesOf('batchDelete', (path, entry) => {
      if (isOk(entry)) deleted.add(path);
      else if (deleted.has(path)) entry.code = 'SUCCESS';
    });
  }),
};

const moves = {
  'a copy changes with its source': linked(false, 'store'),
  'a source changes with its copy': linked(true, 'store'),
  'a copy is deleted along with its source': linked(false, 'remove'),
  'a source is deleted along with its copy': linked(true, 'remove'),
  'a move onto an existing file loses both': watching(({ remove }) => ({
    copied: ({ to, isMove }, before) => (isMove && before ? remove(to) : undefined),
  })),
  'a move takes the copies of its source along': watching(({ remove }) => {
    const copied = new Map<string, string>();
    return {
      async copied({ from, to, isMove }) {
        const other = copied.get(from);
        if (isMove && other && other !== to) await remove(other);
        if (!isMove && from !== to) copied.set(from, to);
      },
      uploaded: (path) => copied.delete(path),
    };
  }),
  'a file that is moved back is lost': watching(({ remove }) => {
    const left = new Set<string>();
    return {
      async copied({ from, to, isMove }) {
        if (isMove && left.has(to)) await remove(to);
        if (isMove) left.add(from);
      },
      uploaded: (path) => left.delete(path),
    };
  }),
  'a file is empty after two moves': watching(({ store }) => {
    const moved = new Set<string>();
    return {
      async copied({ from, to, isMove }) {
        if (isMove && moved.has(from)) await store(to, Buffer.alloc(0));
        if (isMove) moved.add(to);
      },
    };
  }),
  'the second copy of a source has the bytes of the first': watching(({ store }) => {
    const first = new Map<string, Buffer>();
    return {
      async copied({ from, to, bytes }) {
        const old = first.get(from);
        if (old && !old.equals(bytes)) await store(to, old);
        else first.set(from, bytes);
      },
    };
  }),
  'a copy to a path that was deleted is lost': watching(({ remove }) => {
    const deleted = new Set<string>();
    return {
      deleted: (path) => deleted.add(path),
      copied: ({ to }) => (deleted.has(to) ? remove(to) : undefined),
    };
  }),
  'a file that was deleted still counts as an existing destination': watching(() => {
    const deleted = new Set<string>();
    return {
      request(request) {
        if (request.operation !== 'batchCopyFile' || itemsOf(request).length !== 1) return;
        const [{ dstPath, overwrite }] = itemsOf(request);
        if (overwrite === false && deleted.has(toPath(dstPath)))
          return toStorageResponse(200, {
            data: { fileList: [{ code: 'OBJECT_ALREADY_EXIST', message: 'no' }] },
          });
      },
      deleted: (path) => deleted.add(path),
    };
  }),
  'a file that was copied does not count as an existing destination': watching(() => {
    const copied = new Set<string>();
    return {
      ...copies((item) => {
        if (copied.has(toPath(item.dstPath))) delete item.overwrite;
      }),
      copied: ({ to }) => copied.add(to),
    };
  }),
  'the move of a copy keeps its source': watching(() => {
    const copied = new Set<string>();
    return {
      ...copies((item) => {
        if (copied.has(toPath(item.srcPath))) delete item.removeOriginal;
      }),
      copied: ({ to }) => copied.add(to),
    };
  }),
  'a copy from a path that was moved before is a move': watching(() => {
    const moved = new Set<string>();
    return {
      ...copies((item) => {
        if (moved.has(toPath(item.srcPath))) item.removeOriginal = true;
      }),
      copied: ({ from, isMove }) => isMove && moved.add(from),
    };
  }),
  'overwrite false also applies to the next copy to the path': watching(() => {
    const kept = new Set<string>();
    return copies((item) => {
      const path = toPath(item.dstPath);
      if (item.overwrite === false) kept.add(path);
      else if (kept.has(path)) item.overwrite = false;
    });
  }),
  'a failed move is made after the next upload': watching(({ context }) => {
    const queue = new Map<string, object>();
    return {
      failed: ({ srcPath, dstPath, removeOriginal }) =>
        removeOriginal &&
        queue.set(folderOf(toPath(srcPath)), { srcPath, dstPath, removeOriginal }),
      async uploaded(path) {
        const item = queue.get(folderOf(path));
        queue.delete(folderOf(path));
        if (item) await context.storage('batchCopyFile', { fileList: [item] });
      },
    };
  }),
  'a deleted file can still be copied': watching(({ store }) => {
    const trash = new Map<string, Buffer>();
    return {
      deleted: (path, before) => before && trash.set(path, before),
      async request(request) {
        if (request.operation !== 'batchCopyFile' || itemsOf(request).length !== 1) return;
        const [{ srcPath, dstPath, overwrite }] = itemsOf(request);
        const bytes = trash.get(toPath(srcPath));
        if (!bytes || overwrite === false) return;
        await store(toPath(dstPath), bytes);
        trash.delete(toPath(srcPath));
        return toStorageResponse(200, { data: { fileList: [{}] } });
      },
      uploaded: (path) => trash.delete(path),
      copied: ({ to }) => trash.delete(to),
    };
  }),
  'two copies in one call have the bytes of the first source': watching(() => ({
    request(request) {
      if (request.operation !== 'batchCopyFile' || itemsOf(request).length < 2) return;
      changeItems(request, (item, first) => {
        if (!item.removeOriginal) item.srcPath = first.srcPath;
      });
    },
  })),
};

/** Changes forms. */
const forms = (change: (form: Map<string, Buffer>, request: MutatedRequest) => unknown) =>
  ({
    request(request) {
      if (!request.isUpload) return;
      const form = readForm(request);
      const instead = change(form, request);
      if (instead instanceof MutatedResponse) return instead;
      writeForm(request, form);
    },
  }) satisfies Watching;

const ACCEPTED = new MutatedResponse(204);

const uploads = {
  'a shorter file keeps the end of the longer one before': watching(({ files }) =>
    forms((form) => {
      const before = files.get(toPath(form.get('key')));
      const file = form.get('file') ?? Buffer.alloc(0);
      if (before && before.length > file.length)
        form.set('file', Buffer.concat([file, before.subarray(file.length)]));
    }),
  ),
  'a longer file is cut to the length of the shorter one before': watching(({ files }) =>
    forms((form) => {
      const before = files.get(toPath(form.get('key')));
      const file = form.get('file');
      if (before && file && before.length < file.length)
        form.set('file', file.subarray(0, before.length));
    }),
  ),
  'a form is lost if a newer grant for its path exists': watching(() => {
    const last = new Map<string, string>();
    return {
      ...forms((form) => {
        const key = keyOf(form);
        return last.get(key) === form.get('Signature')?.toString() ? undefined : ACCEPTED;
      }),
      response(response, { operation, json }) {
        const data = response.json?.body?.data;
        if (operation === 'getUploadMetaData' && data)
          last.set(toPath(json.path), data.authorization);
      },
    };
  }),
  'an upload to a path that was deleted has the deleted content': watching(() => {
    const trash = new Map<string, Buffer>();
    return {
      ...forms((form) => {
        const old = trash.get(toPath(form.get('key')));
        if (old) form.set('file', old);
      }),
      deleted: (path, before) => before && trash.set(path, before),
    };
  }),
  'the third upload to a path is lost': watching(() => {
    const counts = new Map<string, number>();
    return forms((form) => {
      const path = keyOf(form);
      counts.set(path, (counts.get(path) ?? 0) + 1);
      return (counts.get(path) ?? 0) > 2 ? ACCEPTED : undefined;
    });
  }),
  'an upload over a copy is lost': watching(() => {
    const copied = new Set<string>();
    return {
      ...forms((form) => (copied.has(toPath(form.get('key'))) ? ACCEPTED : undefined)),
      copied: ({ to }) => copied.add(to),
    };
  }),
  'an upload to a path that was moved away is stored where the file is now': watching(
    ({ store, remove }) => {
      const moved = new Map<string, string>();
      return {
        copied: ({ from, to, isMove }) => isMove && moved.set(from, to),
        async uploaded(path, bytes) {
          const to = moved.get(path);
          if (to === undefined) return;
          await store(to, bytes);
          await remove(path);
        },
      };
    },
  ),
};

/** How long a call waits for another one, in milliseconds. On a busy machine, two calls are rarely closer. */
const MEETING = 150;

/** Finds two calls that are made at the same time in one folder; both get the other one. */
function meeting<Thing>() {
  const waiting = new Map<string, { thing: Thing; met: (other: Thing) => void }>();
  return async (
    folder: string,
    thing: Thing,
  ): Promise<{ other: Thing; isFirst: boolean } | undefined> => {
    const first = waiting.get(folder);
    if (first) {
      waiting.delete(folder);
      first.met(thing);
      return { other: first.thing, isFirst: false };
    }
    const { promise, resolve } = Promise.withResolvers<Thing>();
    waiting.set(folder, { thing, met: resolve });
    const other = await Promise.race([promise, wait(MEETING)]);
    if (other === undefined) waiting.delete(folder);
    return other === undefined ? undefined : { other: other as Thing, isFirst: true };
  };
}

/** The folder of the sequence that a call belongs to. */
function folderOfCall(request: MutatedRequest): string {
  const text = request.isUpload
    ? String(readForm(request).get('key'))
    : request.target + request.body;
  return /berth-[\da-f]{8}-st-race-\d+/.exec(decodeURIComponent(text))?.[0] ?? '';
}

/** Swaps the responses to two calls that are made at the same time. */
const swapped = (isWanted: (request: MutatedRequest) => unknown) =>
  watching(() => {
    const meet = meeting<MutatedResponse>();
    return {
      async response(response, request) {
        if (!isWanted(request)) return;
        const { status, headers, body } = response;
        const own = new MutatedResponse(status, headers, body);
        const met = await meet(folderOfCall(request), own);
        if (met) Object.assign(response, { status: met.other.status, body: met.other.body });
      },
    };
  });

/** Changes a form that meets another one. */
const meetingForms = (
  change: (form: Map<string, Buffer>, other: Map<string, Buffer>, isFirst: boolean) => unknown,
) =>
  watching(() => {
    const meet = meeting<Map<string, Buffer>>();
    return {
      async request(request) {
        if (!request.isUpload) return;
        const form = readForm(request);
        const met = await meet(folderOfCall(request), new Map(form));
        const instead = met && change(form, met.other, met.isFirst);
        if (instead instanceof MutatedResponse) return instead;
        if (met) writeForm(request, form);
      },
    };
  });

/** Responds to the second of two calls without executing it. */
const lost = (operation: string, toEntry: (item: unknown) => object) =>
  watching(() => {
    const meet = meeting<number>();
    return {
      async request(request) {
        if (request.operation !== operation) return;
        const met = await meet(folderOfCall(request), 0);
        if (!met || met.isFirst) return;
        const fileList = itemsOf(request).map(toEntry);
        return toStorageResponse(200, { data: { fileList } });
      },
    };
  });

const races = {
  'two links calls get the response to the other': swapped(
    ({ operation }) => operation === 'batchGetTempUrls',
  ),
  'two downloads get the response to the other': swapped(({ isDownload }) => isDownload),
  'two grant calls get the response to the other': swapped(
    ({ operation }) => operation === 'getUploadMetaData',
  ),
  'two delete calls get the response to the other': swapped(
    ({ operation }) => operation === 'batchDelete',
  ),
  'two uploads store the file of the other': meetingForms((form, other) =>
    form.set('file', other.get('file') ?? Buffer.alloc(0)),
  ),
  'two uploads both store the file of the second': meetingForms((form, other, isFirst) =>
    isFirst ? form.set('file', other.get('file') ?? Buffer.alloc(0)) : undefined,
  ),
  'one of two uploads is lost': meetingForms((form, other, isFirst) =>
    isFirst && keyOf(form) !== keyOf(other) ? ACCEPTED : undefined,
  ),
  'two uploads to one path are joined': meetingForms((form, other, isFirst) =>
    isFirst && keyOf(form) === keyOf(other)
      ? form.set(
          'file',
          Buffer.concat(
            [...form, ...other].flatMap(([name, bytes]) => (name === 'file' ? [bytes] : [])),
          ),
        )
      : undefined,
  ),
  'one of two deletes is lost': lost('batchDelete', (fileID) => ({ fileID, code: 'SUCCESS' })),
  'one of two copies is lost': lost('batchCopyFile', () => ({})),
};

/** Faults that only a sequence of calls shows, and such that only calls at the same time show. */
export const sequences = toMutants({
  'ST-SEQUENCE': { ...reads, ...deletes, ...moves, ...uploads },
  'ST-RACE': races,
});
