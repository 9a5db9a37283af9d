import { defineMutant } from '../mutant.ts';

export const stWrongTypeSecond = defineMutant({
  rule: 'ST-WRONG-TYPE',
  breaks: 'only the first item of a list is looked at',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchDelete' || !Array.isArray(json?.fileList)) return;
      const [first, ...rest] = json.fileList;
      request.json = { ...json, fileList: [first, ...rest.map(String)] };
    },
  }),
});
