import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stRequestJson = defineMutant({
  rule: 'ST-REQUEST-JSON',
  breaks: 'a content type with a charset is refused',
  companions: [],
  create: () => ({
    request({ operation, headers }) {
      const hasCharset = /charset/i.test(headers.get('Content-Type') ?? '');
      if (operation !== 'batchDelete' || !hasCharset) return undefined;
      return toStorageRefusal(415, 'UNSUPPORTED_MEDIA_TYPE');
    },
  }),
});
