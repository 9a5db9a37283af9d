import { defineMutant } from '../mutant.ts';
import { readForm, writeForm } from '../support/forms.ts';

export const upFileBom = defineMutant({
  rule: 'UP-FILE',
  breaks: 'a byte order mark at the beginning of a file is cut off',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.isUpload) return;
      const form = readForm(request);
      const file = form.get('file');
      if (file?.subarray(0, 3).toString('hex') !== 'efbbbf') return;
      writeForm(request, form.set('file', file.subarray(3)));
    },
  }),
});
