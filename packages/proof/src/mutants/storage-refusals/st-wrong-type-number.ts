import { defineMutant } from '../mutant.ts';

export const stWrongTypeNumber = defineMutant({
  rule: 'ST-WRONG-TYPE',
  breaks: 'a maxAge that is a text of digits is taken for a number',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return;
      const isText = (item: unknown) => /^\d+$/.test(Object(item).maxAge);
      if (!json.fileList.some(isText)) return;
      const fileList = json.fileList.map((item: object) =>
        isText(item) ? { ...item, maxAge: Number(Object(item).maxAge) } : item,
      );
      request.json = { ...json, fileList };
    },
  }),
});
