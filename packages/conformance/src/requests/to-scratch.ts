/** Where the files of an example are moved to. */
interface Scratch {
  folder: string;
  /** File ID that the target gave for a path of this run, where it gave one. */
  fileId: string | undefined;
}

/**
 * Moves every file of an example request into a folder of this run, so that no real file is touched.
 * Each string of a storage request is a path or a file ID.
 */
export function toScratch(value: unknown, scratch: Scratch): unknown {
  if (typeof value === 'string') return moveString(value, scratch);
  if (Array.isArray(value)) return value.map((item) => toScratch(item, scratch));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toScratch(item, scratch)]),
  );
}

function moveString(value: string, { folder, fileId }: Scratch): string {
  const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
  if (prefix.includes('://') && fileId !== undefined) return fileId;
  return `${prefix}${folder}/${path}`;
}
