import { defineMutant } from '../mutant.ts';
import { readSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3NormalForm = defineMutant({
  rule: 'AU-TC3-NORMAL-FORM',
  breaks: 'signed values are not lower-cased',
  companions: [],
  create: () => ({
    request(request) {
      const names = readSignature(request)?.SignedHeaders?.split(';') ?? [];
      const values = names
        .filter((name) => name.startsWith('x-'))
        .map((name) => request.headers.get(name));
      const isRefused = values.some((value) => /[A-Z]/.test(value ?? ''));
      return isRefused ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
    },
  }),
});
