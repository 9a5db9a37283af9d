// The handler that every server of the `stubs` suite shares, so that only the cost of routing varies.
import { randomUUID } from 'node:crypto';

export const PATH = '/api/v2/envs/:envId/storages\\:batchDelete';

/** Reports every file as deleted. */
export function deleteAll(fileList: readonly string[]) {
  return { fileList: fileList.map((fileID) => ({ fileID, code: 'SUCCESS' })) };
}

/** Wraps a result in the envelope. Our router does this by itself; the peers' handlers call this function. */
export function toEnvelope(data: ReturnType<typeof deleteAll>) {
  return { statusCode: 200, body: { requestId: randomUUID(), data } };
}

export function portOf(): number {
  return Number(process.argv[2]);
}
