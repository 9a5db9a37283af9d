import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import { items, itemsOf, leaveOut, refuse } from './support/storage.ts';

/** Fails items whose destination matches. */
const failFor = (pattern: RegExp) =>
  leaveOut('batchCopyFile', ({ srcPath, dstPath }) =>
    srcPath && pattern.test(dstPath ?? '')
      ? { code: 'INVALID_PARAM', message: 'dstPath has a bad character.' }
      : undefined,
  );

export const storageCopyPaths: readonly Mutant[] = [
  mutant('ST-COPY-PATH-LEVELS', 'the third level of a path is dropped', {
    request(call) {
      const { operation } = call;
      if (operation !== 'batchCopyFile' && operation !== 'getUploadMetaData') return;
      const text = call.body.toString();
      if (text.includes('/level/deeper/'))
        call.body = Buffer.from(text.replaceAll('/level/deeper/', '/level/'));
    },
  }),
  ...mutantsOf('ST-COPY-PATH-CHARACTERS', {
    'a * in a copy path is rejected': failFor(/\*/),
    'the last Chinese characters of the range are rejected in a copy path':
      failFor(/[\u9f00-\u9fff]/),
  }),
  ...mutantsOf('ST-COPY-PATH-REFUSED', {
    'a ~ in a copy path is accepted': items('batchCopyFile', (item) => {
      item.dstPath = item.dstPath?.replace('~', '-');
    }),
    'a copy path with an emoji causes the call to be rejected': refuse(
      (call) =>
        call.operation === 'batchCopyFile' &&
        itemsOf(call).some(({ dstPath = '' }) =>
          /\p{Extended_Pictographic}/u.test(dstPath.replace(/[*\d]/g, '')),
        ),
    ),
  }),
  mutant(
    'ST-COPY-PATH-ABSOLUTE',
    'copy paths are accepted only without the leading /',
    failFor(/^\//),
  ),
];
