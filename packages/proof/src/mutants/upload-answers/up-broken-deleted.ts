import { defineMutant } from '../mutant.ts';
import { deleteFile } from '../support/files.ts';
import { readForm } from '../support/forms.ts';

export const upBrokenDeleted = defineMutant({
  rule: 'UP-BROKEN',
  breaks: 'an upload that breaks off deletes the file that was there',
  companions: [],
  create: (context) => ({
    async broken(request) {
      if (!request.isUpload) return;
      await deleteFile(context, String(readForm(request).get('key')));
    },
  }),
});
