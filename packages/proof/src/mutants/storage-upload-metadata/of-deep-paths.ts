import type { Json } from '../../proxy/messages.ts';
import type { Hooks } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

/** Only paths of several levels are concerned. */
export function isDeep(path: unknown): boolean {
  return String(path).includes('/deeper/');
}

/** Changes the upload metadata of such paths. */
export function ofDeepPaths(change: (data: Json) => void): () => Hooks {
  return () => ({
    answer(answer, { operation }) {
      if (operation !== 'getUploadMetaData' || !isDeep(answer.json?.body?.data?.fileID)) return;
      changeJson(answer, ({ body }) => change(body.data));
    },
  });
}
