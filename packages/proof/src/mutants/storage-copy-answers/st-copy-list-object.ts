import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stCopyListObject = defineMutant({
  rule: 'ST-COPY-LIST',
  breaks: 'the list of one copy is its entry alone',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeJson(answer, ({ body }) => {
        if (body.data?.fileList.length === 1) body.data.fileList = body.data.fileList[0];
      });
    },
  }),
});
