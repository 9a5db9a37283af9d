import { type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { toMutants } from './mutant.ts';
import {
  cached,
  deletesToo,
  downloads,
  linked,
  linksWorkOnce,
  onlyNewestLinkWorks,
  toPath,
  type Watching,
  watching,
} from './support/history.ts';
import {
  COPY,
  changeList,
  copyItems,
  DELETE,
  GRANT,
  isOk,
  itemsOf,
  LINKS,
  list,
  toStorageResponse,
} from './support/storage.ts';
import { type Form, keyOf, readForm, writeForm } from './support/uploads.ts';

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
const links = (change: Parameters<typeof entriesOf>[1]) => entriesOf(LINKS, change);

const fail = (entry: object) => Object.assign(entry, { code: 'NONE', tempFileURL: '' });

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
  'a cache keeps that a link did not work': watching(() =>
    cached(toPath, ({ status }) => status >= 400),
  ),
  'a file that was missing stays missing for links': watching(() => {
    const missing = new Set<string>();
    return links((path, entry) => {
      if (!isOk(entry)) missing.add(path);
      else if (missing.has(path)) fail(entry);
    });
  }),
  'a file that was deleted stays missing for links': watching(({ deleted }) =>
    links((path, entry) => void (deleted.has(path) && fail(entry))),
  ),
  'a file that was moved away stays missing for links': watching(({ moved }) =>
    links((path, entry) => void (moved.has(path) && fail(entry))),
  ),
  'a deleted file still gets links for a while': watching(() => {
    const known = new Map<string, string>();
    return links((path, entry) => {
      if (isOk(entry)) known.set(path, entry.tempFileURL);
      else if (known.has(path))
        Object.assign(entry, { code: 'SUCCESS', tempFileURL: known.get(path) });
    });
  }),
  'a new link to a file ends the ones before': onlyNewestLinkWorks,
  'a link works once': linksWorkOnce,
  'a delete ends the links to all files of the folder': watching(() => {
    const ended = new Set<string>();
    return {
      ...downloads((path) => ended.has(folderOf(path))),
      deleted: (path) => ended.add(folderOf(path)),
      uploaded: (path) => ended.delete(folderOf(path)),
    };
  }),
  'a move ends the links to files whose names start like its source': watching(({ moved }) =>
    downloads((path) => [...moved].some((one) => path !== one && path.startsWith(one))),
  ),
  'the links of a batch shift if a file is missing': list(LINKS, (all) => {
    const found = all.filter(isOk);
    const last = found.at(-1)?.tempFileURL;
    if (found.length < all.length) for (const entry of found) entry.tempFileURL = last;
  }),
  'after a delete, all links of a batch are those of the first file': watching(({ deleted }) =>
    list(LINKS, (all) => {
      const [first, ...rest] = all.filter(isOk);
      if (deleted.size > 0) for (const entry of rest) entry.tempFileURL = first.tempFileURL;
    }),
  ),
};

/** Brings back the content before the last upload or copy. */
const bringsBack = (by: 'upload' | 'copy') =>
  watching(({ store }) => {
    const versions = new Map<string, Buffer>();
    return {
      uploaded: (path, _, before) => by === 'upload' && before && versions.set(path, before),
      copied: ({ to }, before) => by === 'copy' && before && versions.set(to, before),
      async deleted(path) {
        if (versions.has(path)) await store(path, versions.get(path));
        versions.delete(path);
      },
    };
  });

/** Brings back the last deleted file of a folder with the next upload or copy to it. */
const comesBack = (by: 'upload' | 'copy') =>
  watching(({ store }) => {
    const trash = new Map<string, [path: string, bytes: Buffer]>();
    const restore = async (folder: string, ...paths: string[]) => {
      const [other, bytes] = trash.get(folder) ?? [];
      if (other && !paths.includes(other)) await store(other, bytes);
      trash.delete(folder);
    };
    return {
      deleted: (path, before) => before && trash.set(folderOf(path), [path, before]),
      uploaded: (path) => by === 'upload' && restore(folderOf(path), path),
      copied: ({ from, to }) => by === 'copy' && restore(folderOf(to), from, to),
    };
  });

const deletes = {
  'a delete brings back the content before the last upload': bringsBack('upload'),
  'a delete brings back the content before the last copy': bringsBack('copy'),
  'a deleted file comes back with the next upload to its folder': comesBack('upload'),
  'a deleted file comes back with the next copy in its folder': comesBack('copy'),
  'the second delete of a path is lost': watching(({ store, ...past }) => ({
    deleted: (path, before) => (past.deleted.has(path) ? store(path, before) : undefined),
  })),
  'the delete of a copy is lost': watching(({ store, copied }) => ({
    deleted: (path, before) => (copied.has(path) ? store(path, before) : undefined),
  })),
  'the delete of a file that was overwritten is lost': watching(({ store }) => {
    const changed = new Set<string>();
    return {
      uploaded: (path, _, before) => before && changed.add(path),
      deleted: (path, before) => (changed.has(path) ? store(path, before) : undefined),
    };
  }),
  'a delete also removes files whose names start with its path': deletesToo((other, deleted) =>
    other.startsWith(deleted),
  ),
  'a delete also removes the file of the same name in another folder': deletesToo(
    (other, deleted) => folderOf(other) === folderOf(deleted) && baseOf(other) === baseOf(deleted),
  ),
  'the delete of a file that was stored again reports a failure': watching(() => {
    const deleted = new Set<string>();
    return entriesOf(DELETE, (path, entry) => {
      if (isOk(entry) && deleted.has(path)) entry.code = 'NONE';
      deleted.add(path);
    });
  }),
  'a repeated delete is a success': watching(({ deleted }) =>
    entriesOf(DELETE, (path, entry) => {
      if (deleted.has(path)) entry.code = 'SUCCESS';
    }),
  ),
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
  'a file that is moved back is lost': watching(({ remove, moved }) => ({
    copied: ({ to, isMove }) => (isMove && moved.has(to) ? remove(to) : undefined),
  })),
  'a file is empty after two moves': watching(({ store }) => {
    const moved = new Set<string>();
    return {
      async copied({ from, to, isMove }) {
        if (isMove && moved.has(from)) await store(to);
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
  'a copy to a path that was deleted is lost': watching(({ remove, deleted }) => ({
    copied: ({ to }) => (deleted.has(to) ? remove(to) : undefined),
  })),
  'a file that was deleted still counts as an existing destination': watching(({ deleted }) => ({
    request(request) {
      if (request.operation !== COPY || itemsOf(request).length !== 1) return;
      const [{ dstPath, overwrite }] = itemsOf(request);
      if (overwrite === false && deleted.has(toPath(dstPath)))
        return toStorageResponse(200, {
          data: { fileList: [{ code: 'OBJECT_ALREADY_EXIST', message: 'no' }] },
        });
    },
  })),
  'a file that was copied does not count as an existing destination': watching(({ copied }) =>
    copyItems((item) => {
      if (copied.has(toPath(item.dstPath))) delete item.overwrite;
    }),
  ),
  'the move of a copy keeps its source': watching(({ copied }) =>
    copyItems((item) => {
      if (copied.has(toPath(item.srcPath))) delete item.removeOriginal;
    }),
  ),
  'a copy from a path that was moved before is a move': watching(({ moved }) =>
    copyItems((item) => {
      if (moved.has(toPath(item.srcPath))) item.removeOriginal = true;
    }),
  ),
  'overwrite false also applies to the next copy to the path': watching(() => {
    const kept = new Set<string>();
    return copyItems((item) => {
      const path = toPath(item.dstPath);
      if (item.overwrite === false) kept.add(path);
      else if (kept.has(path)) item.overwrite = false;
    });
  }),
  'a failed move is made after the next upload': watching(({ storage }) => {
    const queue = new Map<string, object>();
    return {
      failed: ({ srcPath, dstPath, removeOriginal }) =>
        removeOriginal &&
        queue.set(folderOf(toPath(srcPath)), { srcPath, dstPath, removeOriginal }),
      async uploaded(path) {
        const item = queue.get(folderOf(path));
        queue.delete(folderOf(path));
        if (item) await storage(COPY, { fileList: [item] });
      },
    };
  }),
  'a deleted file can still be copied': watching(({ store, files, deleted }) => ({
    async request(request) {
      if (request.operation !== COPY || itemsOf(request).length !== 1) return;
      const [{ srcPath, dstPath, overwrite }] = itemsOf(request);
      const bytes = files.has(toPath(srcPath)) ? undefined : deleted.get(toPath(srcPath));
      if (!bytes || overwrite === false) return;
      await store(toPath(dstPath), bytes);
      return toStorageResponse(200, { data: { fileList: [{}] } });
    },
  })),
  'two copies in one call have the bytes of the first source': copyItems((item, first) => {
    if (!item.removeOriginal) item.srcPath = first.srcPath;
  }),
};

const fileOf = (form: Form) => form.get('file') ?? Buffer.alloc(0);

/** Changes forms. */
const forms = (change: (form: Form, request: MutatedRequest) => unknown) =>
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
      const file = fileOf(form);
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
        if (operation === GRANT && data) last.set(toPath(json.path), data.authorization);
      },
    };
  }),
  'an upload to a path that was deleted has the deleted content': watching(({ deleted }) =>
    forms((form) => {
      const old = deleted.get(toPath(form.get('key')));
      if (old) form.set('file', old);
    }),
  ),
  'the third upload to a path is lost': watching(() => {
    const counts = new Map<string, number>();
    return forms((form) => {
      const path = keyOf(form);
      counts.set(path, (counts.get(path) ?? 0) + 1);
      return (counts.get(path) ?? 0) > 2 ? ACCEPTED : undefined;
    });
  }),
  'an upload over a copy is lost': watching(({ copied }) =>
    forms((form) => (copied.has(toPath(form.get('key'))) ? ACCEPTED : undefined)),
  ),
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

/** Faults that only a sequence of calls shows. */
export const sequences = toMutants({
  'ST-SEQUENCE': { ...reads, ...deletes, ...moves, ...uploads },
});
