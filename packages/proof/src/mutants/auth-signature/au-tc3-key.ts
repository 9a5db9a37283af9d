import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn, readSignature } from '../support/signature.ts';

export const auTc3Key = defineMutant({
  rule: 'AU-TC3-KEY',
  breaks: 'an unknown id has an empty secret',
  companions: [],
  create: (context) => ({
    request(request) {
      const [id] = readSignature(request)?.Credential?.split('/') ?? [];
      const isUnknown = id !== undefined && id !== context.keyPair.id;
      if (isUnknown && fitsSignature(request, context, { secret: '' })) letIn(request, context);
    },
  }),
});
