import { defineMutant } from '../mutant.ts';
import { readForm, writeForm } from '../support/forms.ts';

export const upFile = defineMutant({
  rule: 'UP-FILE',
  breaks: 'a line end at the end of a file is cut off',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.isUpload) return;
      const form = readForm(request);
      const file = form.get('file');
      if (!file?.toString('latin1').endsWith('\r\n')) return;
      writeForm(request, form.set('file', file.subarray(0, -2)));
    },
  }),
});
