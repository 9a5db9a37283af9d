import { defineMutant } from '../mutant.ts';
import { toStorageAnswer } from '../support/to-storage-refusal.ts';

export const stWrongTypeCode = defineMutant({
  rule: 'ST-WRONG-TYPE',
  breaks: 'a path that is no text is refused without a code',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      const isWrong = operation === 'getUploadMetaData' && typeof json?.path === 'boolean';
      return isWrong ? toStorageAnswer(400, { message: 'path must be a string' }) : undefined;
    },
  }),
});
