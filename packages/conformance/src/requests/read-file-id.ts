import { parse } from '../judge/check-body.ts';

/** The file ID of an upload grant, which later calls are made with; `undefined` in another body. */
export function readFileId(body: string): string | undefined {
  const parsed = parse(body) as { body?: { data?: { fileID?: unknown } } } | null | undefined;
  const fileId = parsed?.body?.data?.fileID;
  return typeof fileId === 'string' ? fileId : undefined;
}
