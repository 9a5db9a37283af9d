import { defineMutant } from '../mutant.ts';
import { storeFile } from '../support/files.ts';
import { readForm } from '../support/forms.ts';

export const upBrokenChunked = defineMutant({
  rule: 'UP-BROKEN',
  breaks: 'what came of a chunked upload that breaks off is stored',
  companions: [],
  create: (context) => ({
    async broken(request) {
      if (!request.isUpload || !request.headers.get('transfer-encoding')) return;
      const form = readForm(request);
      const file = form.get('file');
      if (file) await storeFile(context, String(form.get('key')), file);
    },
  }),
});
