import { defineMutant } from '../mutant.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stCopyPathCharacters = defineMutant({
  rule: 'ST-COPY-PATH-CHARACTERS',
  breaks: '* is refused in a copy path',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      leaveOutItems(request, (item) =>
        /\*/.test(item?.dstPath ?? '')
          ? { code: 'INVALID_PARAM', message: 'dstPath has a bad character.' }
          : undefined,
      );
    },
    answer: putEntries,
  }),
});
