// What every server of the suite `stubs` does with a batch, so that only the way there differs.
import { randomUUID } from 'node:crypto';

export const PATH = '/api/v2/envs/:envId/storages\\:batchDelete';

/** Takes a batch as deleted. */
export function deleteAll(fileList: readonly string[]) {
  return { fileList: fileList.map((fileID) => ({ fileID, code: 'SUCCESS' })) };
}

/** The envelope around it, which our router makes and the peers' handlers make themselves. */
export function toEnvelope(data: ReturnType<typeof deleteAll>) {
  return { statusCode: 200, body: { requestId: randomUUID(), data } };
}

export function portOf(): number {
  return Number(process.argv[2]);
}
