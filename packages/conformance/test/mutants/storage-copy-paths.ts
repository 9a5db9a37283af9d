import type { Hooks, Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { replace } from './support/gateway.ts';
import { COPY, copyItems, GRANT, itemsOf, leaveOut, refuse } from './support/storage.ts';

/** Makes items fail that should not. */
const fail = (isBad: (item: Json) => unknown, code = 'INVALID_PARAM'): Hooks =>
  leaveOut(COPY, (item) =>
    typeof item.srcPath === 'string' && typeof item.dstPath === 'string' && isBad(item)
      ? { code, message: 'no' }
      : undefined,
  );

/** Makes items with a matching destination fail. */
const failTo = (pattern: RegExp) => fail(({ dstPath }) => pattern.test(dstPath));

/** Copies to another path. */
const redirect = (toPath: (path: string) => string) =>
  copyItems({ dstPath: (path) => path && toPath(path) });

export const storageCopyPaths: Rows = {
  'ST-COPY-PATH/1: the third level of a path is dropped': {
    request(call) {
      const { operation } = call;
      if (operation !== COPY && operation !== GRANT) return;
      const text = call.body.toString();
      if (text.includes('/level/deeper/'))
        call.body = Buffer.from(text.replaceAll('/level/deeper/', '/level/'));
    },
  },
  'ST-COPY-PATH/2: a * in a copy path is rejected': failTo(/\*/),
  'ST-COPY-PATH/2: the last Chinese characters of the range are rejected in a copy path':
    failTo(/[\u9f00-\u9fff]/),
  'ST-COPY-PATH/3: a ~ in a copy path is accepted': redirect(replace('~', '-')),
  'ST-COPY-PATH/3: a copy path with an emoji causes the call to be rejected': refuse(
    (call) =>
      call.operation === COPY &&
      itemsOf(call).some(({ dstPath = '' }) =>
        /\p{Extended_Pictographic}/u.test(dstPath.replace(/[*\d]/g, '')),
      ),
  ),
  'ST-COPY-PATH/4: the source of a copy is looked for in a folder of its own': copyItems({
    srcPath: (path) => path?.replace(/^\/?/, '/copies/'),
  }),
  'ST-COPY-PATH/4: a source needs a leading /, and a destination must not have one': fail(
    ({ srcPath, dstPath }) => !srcPath.startsWith('/') || dstPath.startsWith('/'),
  ),
};
