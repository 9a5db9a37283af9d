import { defineMutant } from '../mutant.ts';

export const stWrongTypeGenerated = defineMutant({
  rule: 'ST-WRONG-TYPE',
  breaks: 'of a list of three the last item may be anything',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchDelete' || json?.fileList?.length !== 3) return;
      if (typeof json.fileList[2] === 'string') return;
      request.json = { ...json, fileList: [...json.fileList.slice(0, 2), 'any'] };
    },
  }),
});
