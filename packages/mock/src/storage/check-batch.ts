import { limit } from '../contract/defaults.ts';
import { Refusal } from '../refusal.ts';

/** D25: "At most 50 items a batch; more: the whole call is refused, `INVALID_PARAM`, 400." */
export function checkBatch({ fileList }: { fileList: unknown[] }): void {
  const most = limit('batchItems');
  if (fileList.length > most) {
    throw new Refusal(
      'INVALID_PARAM',
      `fileList has ${fileList.length} items, and at most ${most} are taken: split the list.`,
    );
  }
}
