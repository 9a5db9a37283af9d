/** How far an upload or a download is. */
export interface Progress {
  /** Bytes of the file so far. A second try begins at 0 again. */
  readonly loaded: number;
  /** Bytes of the whole file; `undefined` where nobody knows. */
  readonly total: number | undefined;
}

/** Reports progress only where there is any. */
export function toReport(
  onProgress: ((progress: Progress) => void) | undefined,
  total: number | undefined,
): ((loaded: number) => void) | undefined {
  let last = -1;
  return (
    onProgress &&
    ((loaded) => {
      if (loaded !== last) onProgress({ loaded, total });
      last = loaded;
    })
  );
}
