import type { RunContext } from './run-context.ts';

/**
 * Moves every file of an example request into a folder of this run, so that no real file is touched.
 * Each string of a storage request is a path or a file ID; the ID is the one that the target gave for
 * a path of this run, where it gave one.
 */
export function toScratch(value: unknown, context: Pick<RunContext, 'mark' | 'fileId'>): unknown {
  if (typeof value === 'string') return moveString(value, context);
  if (Array.isArray(value)) return value.map((item) => toScratch(item, context));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toScratch(item, context)]),
  );
}

function moveString(value: string, { mark, fileId }: Pick<RunContext, 'mark' | 'fileId'>): string {
  const folder = `berth-conformance-${mark}`;
  const [, prefix, path] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) as unknown as string[];
  if (prefix?.includes('://') && fileId !== undefined) return fileId;
  return `${prefix}${folder}/${path}`;
}
