import type { Answer } from '../http-messages.ts';
import { parse } from '../judge/check-body.ts';

/** The file ID of an upload grant, which later calls are made with; `undefined` in other answers. */
export function readFileId(answer: Answer): string | undefined {
  const parsed = parse(answer.body) as
    | { body?: { data?: { fileID?: unknown } } }
    | null
    | undefined;
  const fileId = parsed?.body?.data?.fileID;
  return typeof fileId === 'string' ? fileId : undefined;
}
