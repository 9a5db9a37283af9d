import type { Mutant } from './mutant.ts';
import { changeItems, itemsOf, leaveOutItems, putEntries } from './support/answers.ts';

import { toStorageRefusal } from './support/refusals.ts';

export const storageCopyPaths: readonly Mutant[] = [
  {
    rule: 'ST-COPY-PATH-LEVELS',
    breaks: 'a third level is left out of a path',
    companions: [],
    create: () => ({
      request(request) {
        const { operation } = request;
        if (operation !== 'batchCopyFile' && operation !== 'getUploadMetaData') return;
        const text = request.body.toString();
        if (!text.includes('/level/deeper/')) return;
        request.body = Buffer.from(text.replaceAll('/level/deeper/', '/level/'));
      },
    }),
  },
  {
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
  },
  {
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
  },
  {
    rule: 'ST-COPY-PATH-REFUSED',
    breaks: '~ is accepted in a copy path',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        changeItems(request, (item) => {
          item.dstPath = item.dstPath?.replace?.('~', '-');
        });
      },
    }),
  },
  {
    rule: 'ST-COPY-PATH-REFUSED',
    breaks: 'a copy path with an emoji refuses the call',
    companions: [],
    create: () => ({
      request(request) {
        const paths = itemsOf(request)
          .map(({ dstPath }) => dstPath)
          .join();
        const isBad =
          request.operation === 'batchCopyFile' &&
          /\p{Extended_Pictographic}/u.test(paths.replace(/[*\d]/g, ''));
        return isBad ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
      },
    }),
  },
  {
    rule: 'ST-COPY-PATH-ABSOLUTE',
    breaks: 'a copy path with a leading / is refused, and one without it taken',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return;
        leaveOutItems(request, (item) =>
          item?.srcPath && /^\//.test(item?.dstPath ?? '')
            ? { code: 'INVALID_PARAM', message: 'dstPath has a bad character.' }
            : undefined,
        );
      },
      answer: putEntries,
    }),
  },
];
