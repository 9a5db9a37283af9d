import { defineMutant } from '../mutant.ts';

export const stWrongType = defineMutant({
  rule: 'ST-WRONG-TYPE',
  breaks: 'a text in place of a list is taken for one item',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchDelete' || typeof json?.fileList !== 'string') return;
      request.json = { ...json, fileList: [json.fileList] };
    },
  }),
});
