import { setTimeout as wait } from 'node:timers/promises';
import { defineMutant } from '../mutant.ts';
import { readForm, writeForm } from '../support/forms.ts';

/** How long one upload waits for another of its key, in milliseconds. */
const LONGEST = 300;

export const upKeptTwo = defineMutant({
  rule: 'UP-KEPT',
  breaks: 'two uploads of one file at once are mixed up',
  companions: [],
  create: () => {
    const underWay = new Map<string, { file: Buffer; met: (file: Buffer) => void }>();
    return {
      async request(request) {
        if (!request.isUpload || request.body.length < 25_000) return;
        const form = readForm(request);
        const key = String(form.get('key'));
        const file = form.get('file') ?? Buffer.alloc(0);
        const other = underWay.get(key);
        other?.met(file);
        const meeting = Promise.withResolvers<Buffer>();
        if (!other) underWay.set(key, { file, met: meeting.resolve });
        const second = other?.file ?? (await Promise.race([meeting.promise, wait(LONGEST)]));
        underWay.delete(key);
        if (second) writeForm(request, form.set('file', Buffer.concat([file, second])));
      },
    };
  },
});
