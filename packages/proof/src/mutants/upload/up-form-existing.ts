import { defineMutant } from '../mutant.ts';
import { fileIdOf, readFile } from '../support/files.ts';
import { readForm } from '../support/forms.ts';
import { toUploadError } from '../support/to-upload-error.ts';

export const upFormExisting = defineMutant({
  rule: 'UP-FORM',
  breaks: 'a form for a file that exists is refused',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (!request.isUpload) return;
      const key = readForm(request).get('key')?.toString();
      const isThere = key && (await readFile(context, await fileIdOf(context, key)));
      return isThere ? toUploadError(403, 'AccessDenied') : undefined;
    },
  }),
});
