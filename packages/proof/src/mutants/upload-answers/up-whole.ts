import { setTimeout as wait } from 'node:timers/promises';
import { defineMutant } from '../mutant.ts';
import { storeFile } from '../support/files.ts';
import { readForm } from '../support/forms.ts';

export const upWhole = defineMutant({
  rule: 'UP-WHOLE',
  breaks: 'half of a large file can be read while the rest is written',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (!request.isUpload || request.body.length < 150_000) return;
      const form = readForm(request);
      const file = form.get('file') ?? Buffer.alloc(0);
      await storeFile(context, String(form.get('key')), file.subarray(0, file.length / 2));
      await wait(300);
    },
  }),
});
