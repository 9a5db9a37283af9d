import { defineMutant } from '../mutant.ts';
import { toUploadError } from '../support/to-upload-error.ts';

export const upForm = defineMutant({
  rule: 'UP-FORM',
  breaks: 'a form with more than 15,000 bytes is refused',
  companions: [],
  create: () => ({
    request({ isUpload, body }) {
      const isRefused = isUpload && body.length > 15_000;
      return isRefused ? toUploadError(400, 'EntityTooLarge') : undefined;
    },
  }),
});
