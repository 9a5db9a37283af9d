import { type FSWatcher, statSync, watch } from 'node:fs';

/** Editors write a file in several steps. */
const DEBOUNCE_MILLISECONDS = 50;
/** How often a folder that is gone is looked for. */
const MISSING_MILLISECONDS = 500;

/** Watches folders, not what is below them: files are replaced by editors, and new ones come. */
export interface FolderWatch {
  /** Says which folders are watched from now on. */
  set(folders: Iterable<string>): void;
  close(): void;
}

/** @param onChange called once after changes that come together */
export function watchFolders(onChange: () => void): FolderWatch {
  const watched = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  let wanted = new Set<string>();
  let debounce: NodeJS.Timeout | undefined;
  let search: NodeJS.Timeout | undefined;

  const tell = () => {
    clearTimeout(debounce);
    debounce = setTimeout(onChange, DEBOUNCE_MILLISECONDS).unref();
  };

  const drop = (folder: string) => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };

  /** @returns whether the folder is watched anew */
  const take = (folder: string): boolean => {
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    if (inode !== undefined && watched.get(folder)?.inode === inode) return false;
    drop(folder);
    if (inode === undefined) return false;
    try {
      const watcher = watch(folder, { persistent: false }, tell);
      watcher.on('error', () => drop(folder));
      watched.set(folder, { inode, watcher });
      return true;
    } catch {
      return false;
    }
  };

  const searchOn = () => {
    clearTimeout(search);
    const isBack = [...wanted].filter(take).length > 0;
    if (isBack) tell();
    if (watched.size < wanted.size) search = setTimeout(searchOn, MISSING_MILLISECONDS).unref();
  };

  return {
    set(folders) {
      wanted = new Set(folders);
      for (const folder of watched.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) take(folder);
      clearTimeout(search);
      if (watched.size < wanted.size) search = setTimeout(searchOn, MISSING_MILLISECONDS).unref();
    },
    close() {
      clearTimeout(debounce);
      clearTimeout(search);
      wanted.clear();
      for (const folder of watched.keys()) drop(folder);
    },
  };
}
