import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn, readSignature } from '../support/signature.ts';

export const auTc3Timestamp = defineMutant({
  rule: 'AU-TC3-TIMESTAMP',
  breaks: 'the timestamp that is signed may be some seconds off the one that is sent',
  companions: [],
  create: (context) => ({
    request(request) {
      const sent = Number(readSignature(request)?.Timestamp);
      for (let timestamp = sent - 5; timestamp <= sent + 5; timestamp += 1) {
        if (fitsSignature(request, context, { timestamp })) letIn(request, context);
      }
    },
  }),
});
