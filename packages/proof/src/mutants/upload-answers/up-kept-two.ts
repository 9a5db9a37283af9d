import { setTimeout as wait } from 'node:timers/promises';
import { defineMutant } from '../mutant.ts';
import { readForm, writeForm } from '../support/forms.ts';

export const upKeptTwo = defineMutant({
  rule: 'UP-KEPT',
  breaks: 'two uploads of one file at once are mixed up',
  companions: [],
  create: () => {
    const underWay = new Map<string, Buffer>();
    return {
      async request(request) {
        if (!request.isUpload) return;
        const form = readForm(request);
        const key = String(form.get('key'));
        const file = form.get('file') ?? Buffer.alloc(0);
        const other = underWay.get(key);
        underWay.set(key, file);
        await wait(file.length > 25_000 ? 50 : 0);
        underWay.delete(key);
        if (other) writeForm(request, form.set('file', Buffer.concat([other, file])));
      },
    };
  },
});
