import type { PathLike } from 'node:fs';
import type * as FileSystem from 'node:fs/promises';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

type Fs = typeof FileSystem;

/** Content of a file, whatever its name. */
interface Inode {
  /** Writes in order. */
  readonly writes: Write[];
}

interface Write {
  readonly bytes: Buffer;
  readonly position: number;
  /** When it became durable, as an index into the log. */
  syncedAt: number;
}

/** A change of one name in one folder. A rename is two of them, of which the removal never comes first. */
interface Naming {
  readonly folder: string;
  readonly path: string;
  readonly to: Inode | 'folder' | undefined;
  /** The addition that a removal must not precede. */
  readonly after?: Naming;
  syncedAt: number;
}

/** What happened, in order. */
type Step =
  | { readonly kind: 'write'; readonly inode: Inode; readonly write: Write }
  | { readonly kind: 'name'; readonly naming: Naming }
  | { readonly kind: 'sync'; readonly place: string; readonly site: string }
  | { readonly kind: 'mark'; readonly mark: string };

/** Files by path, without those in folders that do not exist. */
type Tree = ReadonlyMap<string, Buffer>;

/** A moment at which the power fails, and one of the disks that may be left. */
export interface Crash {
  /** Marks before the moment. */
  readonly marks: readonly string[];
  readonly files: Tree;
  readonly folders: ReadonlySet<string>;
}

/**
 * Records what a program does to a folder. Afterwards, it returns every disk that a loss of power may leave.
 *
 * A disk may write the contents of files and the names in folders in any order that `fsync` does not forbid: at
 * each moment, any number of the first unsynced writes, and of the first unsynced changes of names, are on disk.
 * Syncing a file makes its content durable; syncing a folder makes the names in it durable.
 */
export class Recorder {
  steps: Step[] = [];
  isRecording = false;
  readonly #inodes = new Map<string, Inode>();

  /** Forgets everything, and records from now on. */
  start(): void {
    this.steps = [];
    this.#inodes.clear();
    this.isRecording = true;
  }

  mark(mark: string): void {
    this.steps.push({ kind: 'mark', mark });
  }

  /** The places in the source code that sync something. */
  get sites(): ReadonlySet<string> {
    return new Set(this.steps.flatMap((step) => (step.kind === 'sync' ? [step.site] : [])));
  }

  /** @param without a place in the source code whose syncs are left out */
  *crashes(without?: string): Generator<Crash> {
    const steps = this.steps.filter((step) => step.kind !== 'sync' || step.site !== without);
    setSyncTimes(steps);
    const marks: string[] = [];
    const seen = new Set<string>();
    for (let at = 1; at <= steps.length; at++) {
      const past = steps.slice(0, at);
      const last = past.at(-1);
      if (last?.kind === 'mark') marks.push(last.mark);
      const writes = past.flatMap((step) => (step.kind === 'write' ? [step] : []));
      const namings = past.flatMap((step) => (step.kind === 'name' ? [step.naming] : []));
      const isLost = ({ syncedAt }: { syncedAt: number }) => syncedAt >= at;
      const lostWrites = writes.filter(({ write }) => isLost(write));
      const lostNamings = namings.filter(isLost);
      for (let names = 0; names <= lostNamings.length; names++) {
        const kept = new Set([
          ...namings.filter((each) => !isLost(each)),
          ...lostNamings.slice(0, names),
        ]);
        // The removal of a rename is durable no earlier than its addition.
        for (const each of kept) if (each.after && !kept.has(each.after)) kept.add(each.after);
        const { inodes, folders } = toNames(namings.filter((each) => kept.has(each)));
        for (let count = 0; count <= lostWrites.length * 2; count++) {
          const files = new Map<string, Buffer>();
          for (const [path, inode] of inodes)
            files.set(path, contentOf(inode, writes, lostWrites, count));
          const key = JSON.stringify([
            marks.length,
            [...files].map(([path, bytes]) => [path, bytes.toString('latin1')]),
            [...folders],
          ]);
          if (seen.has(key)) continue;
          seen.add(key);
          yield { marks: [...marks], files, folders };
        }
      }
    }
  }

  #push(step: Step): void {
    if (this.isRecording) this.steps.push(step);
  }

  /** Replaces the functions of `node:fs/promises` that change files by ones that record their calls. */
  wrap(real: Fs): Partial<Fs> {
    const add = (path: PathLike, to: Inode | 'folder' | undefined, after?: Naming): Naming => {
      const naming: Naming = {
        folder: dirname(`${path}`),
        path: `${path}`,
        to,
        ...(after && { after }),
        syncedAt: Number.POSITIVE_INFINITY,
      };
      this.#push({ kind: 'name', naming });
      if (typeof to === 'object') this.#inodes.set(`${path}`, to);
      else this.#inodes.delete(`${path}`);
      return naming;
    };
    const inodeOf = (path: PathLike) => this.#inodes.get(`${path}`) ?? { writes: [] };
    const write = (inode: Inode, bytes: Buffer, position: number) => {
      const written = { bytes, position, syncedAt: Number.POSITIVE_INFINITY };
      inode.writes.push(written);
      this.#push({ kind: 'write', inode, write: written });
    };
    const push = (step: Step) => this.#push(step);
    return {
      async open(...args: Parameters<Fs['open']>) {
        const path = `${args[0]}`;
        const isNew = await real.lstat(path).then(
          () => false,
          () => true,
        );
        const handle = await real.open(...args);
        if (isNew) add(path, { writes: [] });
        const inode = inodeOf(path);
        const writev = handle.writev.bind(handle);
        return Object.assign(handle, {
          // Nothing here outlives the process.
          sync: async () => push({ kind: 'sync', place: path, site: findSite() }),
          async writev(chunks: Buffer[], position: number) {
            const result = await writev(chunks, position);
            write(inode, Buffer.concat(chunks).subarray(0, result.bytesWritten), position);
            return result;
          },
        });
      },
      async writeFile(path: PathLike, ...args: unknown[]) {
        await (real.writeFile as (...all: unknown[]) => Promise<void>)(path, ...args);
        add(path, { writes: [] });
      },
      async rename(from: PathLike, to: PathLike) {
        const inode = inodeOf(from);
        // POSIX: renaming one name of a file to another name of the same file does nothing.
        const isSame = inode === inodeOf(to);
        await real.rename(from, to);
        if (!isSame) add(from, undefined, add(to, inode));
      },
      async copyFile(from: PathLike, to: PathLike, mode?: number) {
        await real.copyFile(from, to, mode);
        const inode: Inode = { writes: [] };
        add(to, inode);
        write(inode, await real.readFile(to), 0);
      },
      async unlink(path: PathLike) {
        await real.unlink(path);
        add(path, undefined);
      },
      async rm(path: PathLike, options?: object) {
        const isThere = await real.lstat(path).then(
          () => true,
          () => false,
        );
        await real.rm(path, options);
        if (isThere) add(path, undefined);
      },
      mkdir: (async (path: PathLike, options?: object) => {
        const made = await real.mkdir(path, options);
        add(path, 'folder');
        return made;
      }) as Fs['mkdir'],
    } as Partial<Fs>;
  }
}

/** Returns the functions of the driver that have called, from the inside to the outside, with their lines. */
function findSite(): string {
  const lines = new Error().stack?.split('\n') ?? [];
  const calls = lines.flatMap((line) => /(\w+) \(.*src[\\/]store[\\/](.*):\d+\)/.exec(line) ?? []);
  return calls
    .filter((_, at) => at % 3 !== 0)
    .slice(0, 6)
    .join(' ');
}

/** Finds out when each change became durable. */
function setSyncTimes(steps: readonly Step[]): void {
  const openWrites = new Map<string, Write[]>();
  const openNames = new Map<string, Naming[]>();
  const pathOf = new Map<Inode, string>();
  for (const step of steps) {
    if (step.kind === 'write') step.write.syncedAt = Number.POSITIVE_INFINITY;
    if (step.kind === 'name') step.naming.syncedAt = Number.POSITIVE_INFINITY;
  }
  const list = <Item>(lists: Map<string, Item[]>, key: string) => {
    const found = lists.get(key) ?? [];
    lists.set(key, found);
    return found;
  };
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'name') {
      list(openNames, step.naming.folder).push(step.naming);
      if (typeof step.naming.to === 'object') pathOf.set(step.naming.to, step.naming.path);
    } else if (step.kind === 'write') {
      list(openWrites, pathOf.get(step.inode) ?? '').push(step.write);
    } else if (step.kind === 'sync') {
      const durable = [...list(openWrites, step.place), ...list(openNames, step.place)];
      for (const each of durable) {
        each.syncedAt = Math.min(each.syncedAt, at);
        const { after } = each as Partial<Naming>;
        if (after) after.syncedAt = Math.min(after.syncedAt, at);
      }
      openWrites.delete(step.place);
      openNames.delete(step.place);
    }
  }
}

function toNames(namings: readonly Naming[]) {
  const inodes = new Map<string, Inode>();
  const folders = new Set<string>();
  for (const { path, to } of namings) {
    inodes.delete(path);
    folders.delete(path);
    // A new folder is empty, even if its name was used before.
    if (to === 'folder') {
      const isBelow = (each: string) => each.startsWith(`${path}${sep}`);
      for (const each of inodes.keys()) if (isBelow(each)) inodes.delete(each);
      for (const each of folders) if (isBelow(each)) folders.delete(each);
    }
    if (to === 'folder') folders.add(path);
    else if (to) inodes.set(path, to);
  }
  return { inodes, folders };
}

/** @param halves how many halves of the lost writes are on disk after all */
function contentOf(
  inode: Inode,
  writes: readonly { readonly inode: Inode; readonly write: Write }[],
  lost: readonly { readonly write: Write }[],
  halves: number,
): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  for (const { inode: owner, write } of writes) {
    if (owner !== inode) continue;
    const index = lost.findIndex((each) => each.write === write);
    const share = index < 0 ? 2 : Math.min(2, Math.max(0, halves - 2 * index));
    const bytes = write.bytes.subarray(0, (write.bytes.length * share) / 2);
    if (bytes.length === 0) continue;
    parts.push(Buffer.alloc(Math.max(0, write.position - size)), bytes);
    size = write.position + bytes.length;
  }
  return Buffer.concat(parts);
}

/** Returns whether a path is in a folder that is on the disk. */
export function isThere({ folders }: Crash, path: string, base: string): boolean {
  const folder = dirname(path);
  return folder === base || (folders.has(folder) && isThere({ folders } as Crash, folder, base));
}

/** Writes one of the disks into a folder. */
export async function restore(crash: Crash, base: string, to: string): Promise<void> {
  for (const path of crash.folders) {
    if (isThere(crash, path, base))
      await mkdir(join(to, relative(base, path)), { recursive: true });
  }
  for (const [path, bytes] of crash.files) {
    if (isThere(crash, path, base)) await writeFile(join(to, relative(base, path)), bytes);
  }
}
