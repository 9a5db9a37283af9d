import { defineMutant } from '../mutant.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stCopyPathCharactersChinese = defineMutant({
  rule: 'ST-COPY-PATH-CHARACTERS',
  breaks: 'the last Chinese characters are refused in a copy path',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      leaveOutItems(request, (item) =>
        /[\u9f00-\u9fff]/.test(item?.dstPath ?? '')
          ? { code: 'INVALID_PARAM', message: 'dstPath has a bad character.' }
          : undefined,
      );
    },
    answer: putEntries,
  }),
});
