/** What a run has stored, so that it can be removed. */
export interface Leftovers {
  /** Notes a path before something is stored there, with its file ID where that is known. */
  add(path: string, fileId?: string): void;
  list(): { path: string; fileId: string | undefined }[];
}

export function createLeftovers(): Leftovers {
  const paths = new Map<string, string | undefined>();
  return {
    add: (path, fileId) => void paths.set(path, fileId ?? paths.get(path)),
    list: () => [...paths].map(([path, fileId]) => ({ path, fileId })),
  };
}
