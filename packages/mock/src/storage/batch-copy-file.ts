import type { StorageInput } from '@berth/server-stubs';
import { storageErrors } from '../contract/defaults.ts';
import { itemPatternsOf } from '../contract/item-patterns.ts';
import type { Operation } from '../contract/operations.ts';
import { toFileID } from '../files/file-id.ts';
import { pathFault, toKey } from '../files/file-path.ts';
import type { Act, Place } from './place.ts';

type Item = StorageInput<'batchCopyFile'>['fileList'][number];

type Failure = { code: string; message: string };

/**
 * Copies and moves files, one after the other in request order.
 *
 * D24: "each bad item fails alone with `code` and `message`, a good one carries neither"; "the
 * result's fileID is the destination's."
 */
export function createBatchCopyFile(operations: readonly Operation[]): Act<'batchCopyFile'> {
  const patterns = itemPatternsOf(operations, 'batchCopyFile');
  return ({ fileList }, place) => ({
    fileList: fileList.map((item) => findPathFault(item, patterns) ?? copyFile(item, place)),
  });
}

function findPathFault(item: Item, patterns: Map<string, RegExp>): Failure | undefined {
  for (const name of ['srcPath', 'dstPath'] as const) {
    const fault = pathFault(item[name], patterns.get(name));
    if (fault !== undefined) return invalid(`${name} ${fault}`);
  }
  // D24: "source ≠ destination".
  if (toKey(item.srcPath) === toKey(item.dstPath)) {
    return invalid('dstPath must not be the same file as srcPath.');
  }
  return undefined;
}

function copyFile(
  { srcPath, dstPath, overwrite = true, removeOriginal = false }: Item,
  { env, session: { files } }: Place,
): Failure | { fileID: string } {
  const [source, destination] = [toKey(srcPath), toKey(dstPath)];
  if (!files.has(source)) return failure('STORAGE_FILE_NONEXIST');
  if (!overwrite && files.has(destination)) return failure('OBJECT_ALREADY_EXIST');
  if (!files.copy(source, destination, { move: removeOriginal })) {
    return invalid('The copy does not fit into the mock: delete files, or raise maxStoreBytes.');
  }
  return { fileID: toFileID(env, destination) };
}

function failure(code: string): Failure {
  return { code, message: storageErrors.get(code).message };
}

function invalid(message: string): Failure {
  return { code: 'INVALID_PARAM', message };
}
