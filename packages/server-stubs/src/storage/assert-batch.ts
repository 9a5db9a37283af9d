import { StorageError } from '../errors/storage-error.ts';

const LIST = 'fileList';

/**
 * D25: "At most 50 items a batch; more: the whole call is refused, `INVALID_PARAM`, 400."
 *
 * @throws StorageError INVALID_PARAM
 */
export function assertBatch(input: unknown, maxItems: number): void {
  const list = (input as Record<string, unknown>)[LIST];
  if (!Array.isArray(list) || list.length <= maxItems) return;
  throw new StorageError('INVALID_PARAM', {
    message: `${LIST} has ${list.length} items: send at most ${maxItems} in one call.`,
  });
}
